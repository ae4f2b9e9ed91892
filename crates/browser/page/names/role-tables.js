// Tables of roles. Data only.

/** @param {string} words */
const words = (words) => words.trim().split(/\s+/);

/** Every role of WAI-ARIA 1.2 an author may use (abstract roles are not among them). */
export const KNOWN_ROLES = new Set(words(`alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox
  comment complementary contentinfo definition deletion dialog document emphasis feed figure form generic grid gridcell group heading insertion
  link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation note option
  paragraph progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox sectionfooter sectionheader separator slider
  spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem`));

/** Roles of the modules for publishing (DPUB-ARIA 1.1) and graphics. */
export const MODULE_ROLES = new Set(words(`abstract acknowledgments afterword appendix backlink biblioentry bibliography biblioref chapter colophon
  conclusion cover credit credits dedication endnote endnotes epigraph epilogue errata example footnote foreword glossary glossref index
  introduction noteref notice pagebreak pagefooter pageheader pagelist part preface prologue pullquote qna subtitle tip toc`).map((word) => `doc-${word}`)
  .concat("graphics-document", "graphics-object", "graphics-symbol"));

/** Roles a person operates. */
export const WIDGET_ROLES = new Set(words(`button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option combobox textbox searchbox
  spinbutton slider treeitem scrollbar doc-backlink doc-biblioref doc-glossref doc-noteref`));

/** Roles named by their content. */
export const NAMED_BY_CONTENT = new Set(words(`button cell checkbox columnheader comment gridcell heading link menuitem menuitemcheckbox menuitemradio option radio
  rowheader switch tab term tooltip treeitem doc-backlink doc-biblioref doc-glossref doc-noteref doc-subtitle`));

/** Readable things that are listed though nothing can be done to them. */
export const ITEM_ROLES = new Set(words(`alert alertdialog article banner blockquote caption cell code columnheader complementary contentinfo definition dialog feed
  figure form grid gridcell group heading img list listbox listitem log main math menu menubar meter navigation note progressbar radiogroup region row
  rowheader scrollbar search separator status table tablist tabpanel term timer toolbar tooltip tree treegrid graphics-symbol graphics-document graphics-object`));

/** Readable things that are listed where their author named them. */
export const NAMED_ITEM_ROLES = new Set(words("application document marquee rowgroup"));

/** Items that say nothing without something inside them. */
export const HOLLOW_ROLES = new Set(words(`article banner blockquote caption cell code columnheader complementary contentinfo definition feed figure form grid gridcell
  group heading list listbox listitem log main math menu menubar navigation note radiogroup region row rowheader search separator status table tablist
  tabpanel term timer toolbar tooltip tree treegrid dialog alert alertdialog`));

/** Roles whose value is text a person types. */
export const TEXT_ROLES = new Set(["textbox", "searchbox", "spinbutton", "combobox"]);

/** @type {Map<string, string>} */
export const INPUT_ROLES = new Map([
  ["button", "button"], ["submit", "button"], ["reset", "button"], ["image", "button"], ["file", "button"], ["color", "button"],
  ["checkbox", "checkbox"], ["radio", "radio"], ["range", "slider"], ["number", "spinbutton"], ["search", "searchbox"],
]);

/** Elements with one role. @type {Map<string, string>} */
export const TAG_ROLES = new Map([
  ["address", "group"], ["article", "article"], ["blockquote", "blockquote"], ["button", "button"], ["caption", "caption"],
  ["code", "code"], ["datalist", "listbox"], ["dd", "definition"], ["del", "deletion"], ["details", "group"], ["dfn", "term"],
  ["dialog", "dialog"], ["dt", "term"], ["em", "emphasis"], ["fieldset", "group"], ["figure", "figure"], ["h1", "heading"],
  ["h2", "heading"], ["h3", "heading"], ["h4", "heading"], ["h5", "heading"], ["h6", "heading"], ["hgroup", "group"],
  ["hr", "separator"], ["html", "document"], ["iframe", "iframe"], ["frame", "iframe"], ["fencedframe", "iframe"], ["ins", "insertion"], ["li", "listitem"],
  ["main", "main"], ["math", "math"], ["menu", "list"], ["meter", "meter"], ["nav", "navigation"], ["ol", "list"],
  ["optgroup", "group"], ["option", "option"], ["output", "status"], ["p", "paragraph"], ["progress", "progressbar"],
  ["search", "search"], ["strong", "strong"], ["sub", "subscript"], ["sup", "superscript"], ["table", "table"],
  ["textarea", "textbox"], ["time", "time"], ["ul", "list"], ["video", "video"], ["audio", "audio"], ["canvas", "canvas"],
  ["embed", "embed"], ["object", "object"], ["figcaption", "caption"], ["mark", "mark"],
]);

/** Elements that keep their role only inside these. @type {Map<string, Set<string>>} */
export const OWNED_BY = new Map([["li", new Set(["ul", "ol", "menu"])]]);
