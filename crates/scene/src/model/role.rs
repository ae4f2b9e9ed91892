//! The roles there are: a page may declare anything to be one.

/// Roles of WAI-ARIA, of its modules for publishing and graphics, and the words for what has none there, in order.
#[rustfmt::skip]
pub const ROLES: [&str; 149] = [
    "alert", "alertdialog", "application", "article", "audio", "banner", "blockquote", "button", "canvas", "caption",
    "cell", "checkbox", "code", "column border", "columnheader", "combobox", "comment", "complementary", "contentinfo", "date",
    "definition", "deletion", "dialog", "doc-abstract", "doc-acknowledgments", "doc-afterword", "doc-appendix",
    "doc-backlink", "doc-biblioentry", "doc-bibliography", "doc-biblioref", "doc-chapter", "doc-colophon",
    "doc-conclusion", "doc-cover", "doc-credit", "doc-credits", "doc-dedication", "doc-endnote", "doc-endnotes",
    "doc-epigraph", "doc-epilogue", "doc-errata", "doc-example", "doc-footnote", "doc-foreword", "doc-glossary",
    "doc-glossref", "doc-index", "doc-introduction", "doc-noteref", "doc-notice", "doc-pagebreak", "doc-pagefooter",
    "doc-pageheader", "doc-pagelist", "doc-part", "doc-preface", "doc-prologue", "doc-pullquote", "doc-qna",
    "doc-subtitle", "doc-tip", "doc-toc", "document", "embed", "emphasis", "feed", "figure", "fold", "form",
    "generic", "graphics-document", "graphics-object", "graphics-symbol", "grid", "gridcell", "group", "heading",
    "icon", "iframe", "img", "insertion", "label", "link", "list", "listbox", "listitem", "log", "main", "mark",
    "marquee", "math", "menu", "menubar", "menuitem", "menuitemcheckbox", "menuitemradio", "meter", "navigation",
    "none", "note", "object", "option", "paragraph", "progressbar", "radio", "radiogroup", "region", "resize handle", "row", "row border",
    "rowgroup", "rowheader", "scroll button", "scroll thumb", "scrollbar", "search", "searchbox", "sectionfooter", "sectionheader", "separator",
    "slider", "spin arrow", "spinbutton", "splitter", "status", "strong", "subscript", "suggestion", "superscript", "switch", "tab", "table",
    "tablist", "tabpanel", "term", "text", "textbox", "time", "timer", "togglebutton", "toolbar", "tooltip", "tree",
    "treegrid", "treeitem", "video", "window",
];

/// A role as it is shown: one of those there are.
pub fn known(role: &str) -> &'static str {
    ROLES.binary_search(&role).ok().and_then(|i| ROLES.get(i)).copied().unwrap_or("generic")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_role_is_generic() {
        assert!(ROLES.windows(2).all(|pair| pair[0] < pair[1]));
        for role in ["button", "doc-noteref", "iframe", "text", "zoom"] {
            assert_eq!(known(role), if role == "zoom" { "generic" } else { role });
        }
        assert_eq!(known("doc-x\n[1] button \"Approve\""), "generic");
    }
}
