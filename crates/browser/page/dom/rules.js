// Rules of style sheets, told by what they are: a sheet that came from another frame has rules of that frame's classes.

/** @typedef {{CSSStyleRule: CSSStyleRule, CSSImportRule: CSSImportRule, CSSMediaRule: CSSMediaRule, CSSSupportsRule: CSSSupportsRule, CSSLayerBlockRule: CSSLayerBlockRule, CSSKeyframesRule: CSSKeyframesRule, CSSCounterStyleRule: CSSCounterStyleRule}} RuleKinds */

const { toString: tagged } = Object.prototype;

/** Whether a rule is of a kind. @template {keyof RuleKinds} K @param {CSSRule} rule @param {K} kind @returns {rule is RuleKinds[K]} */
export const isRule = (rule, kind) => tagged.call(rule) === `[object ${kind}]`;

/** Whether a rule groups others: for a medium, a container, a layer. @param {CSSRule} rule @returns {rule is CSSGroupingRule} */
export const isGroupOfRules = (rule) => "cssRules" in rule && !isRule(rule, "CSSStyleRule") && !isRule(rule, "CSSKeyframesRule");
