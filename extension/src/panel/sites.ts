// The sites that the extension may look at without being asked on each: none, until a person allows them.

import { currentTab } from "./channel.js";
import { h, quoted, t } from "./text.js";

/** The pattern of the site in front; null where it is no site, or isn't told to us. */
async function currentSite(): Promise<string | null> {
  const url = (await currentTab())?.url;
  if (!url || !URL.canParse(url)) return null;
  const { protocol, hostname } = new URL(url);
  return /^https?:$/.test(protocol) ? `${protocol}//${hostname}/*` : null;
}

/** Asks the person for the site in front; false where it is none, isn't told to us yet, or isn't allowed. */
export async function allowCurrentSite(): Promise<boolean> {
  const site = await currentSite();
  if (!site) return false;
  try {
    return await chrome.permissions.request({ origins: [site] });
  } catch {
    return false;
  }
}

/** Lists the sites that are allowed, each with a button that takes it back. */
export async function listSites(list: HTMLElement): Promise<void> {
  const { origins = [] } = await chrome.permissions.getAll();
  const items = origins.map((origin) => {
    const remove = h("button", { type: "button", class: "plain", "aria-label": t("remove_site", origin) }, t("remove"));
    remove.addEventListener("click", () => void chrome.permissions.remove({ origins: [origin] }).then(() => listSites(list)));
    return h("li", {}, quoted(origin), " ", remove);
  });
  list.replaceChildren(...(items.length ? items : [h("li", { class: "none" }, t("no_sites"))]));
}
