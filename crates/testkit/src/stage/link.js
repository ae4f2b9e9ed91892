// The page's end of the link: runs what the test sends, and answers. Beacons, because they are no part of what a page
// waits for, and because they outlive the page.
(() => {
  const as = new URLSearchParams(location.search).get('as') || 'main';
  let source;
  // A document in a frame may go without being told. What it wrote down stays, and the next one hands it over.
  const key = `log of ${as}`;
  const keep = () => localStorage.setItem(key, JSON.stringify({as, trial: window.trial ?? null, log: window.log}));
  const report = told => { if (told && JSON.parse(told).log.length) navigator.sendBeacon('/report', told); };
  if (window.log) {
    report(localStorage.getItem(key));
    localStorage.removeItem(key);
    for (const name of ['push', 'splice']) {
      const change = Array.prototype[name];
      window.log[name] = function(...all) {
        const done = change.apply(this, all);
        keep();
        return done;
      };
    }
  }
  // What is asked again, because no answer came in time, is done once.
  const answers = new Map();
  const connect = () => {
    source = new EventSource(`/link?as=${as}`);
    source.onmessage = async ({data}) => {
      const {id, run} = JSON.parse(data);
      const answer = async () => {
        try {
          return (await (0, eval)(run)) ?? null;
        } catch (error) {
          return {error: String(error)};
        }
      };
      if (!answers.has(id)) answers.set(id, answer());
      navigator.sendBeacon('/answer', JSON.stringify({id, value: await answers.get(id)}));
    };
  };
  addEventListener('pagehide', () => {
    // An open connection keeps a page out of the back/forward cache.
    source.close();
    if (!window.log) return;
    report(localStorage.getItem(key));
    window.log.splice(0);
    localStorage.removeItem(key);
  });
  addEventListener('pageshow', event => { if (event.persisted) connect(); });
  connect();
})();
