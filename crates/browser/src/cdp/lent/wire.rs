//! What travels between us and the extension that lends a tab. `cargo xtask generate` writes its types for the extension.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The extension's id, which the key in its manifest makes the same wherever it is loaded.
pub const EXTENSION: &str = "ckfmhdkpalfpgelkpiibdfkllkfhffim";
/// Where the extension comes to.
pub const PATH: &str = "/tab";
/// The session by which the tab itself is asked; others are of documents in it.
pub const SESSION: &str = "tab";
/// The code of a refusal: what was asked for isn't on the list.
pub const OUTSIDE: i64 = -31_999;

/// The first word of the extension.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Hello {
    /// What it made up for this meeting: 32 hexadecimal digits.
    pub nonce: String,
}

/// Our answer.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Challenge {
    /// What we made up for this meeting.
    pub nonce: String,
    /// That we know the code.
    pub proof: String,
}

/// The tab, once the extension has attached to it; or why it can't be lent.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Offer {
    /// That the extension knows the code.
    pub proof: String,
    /// Why the browser doesn't let this tab be lent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// The last word before the protocol begins.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Welcome {
    /// Always so.
    pub welcome: bool,
}

/// What is said before the protocol begins, by the names that the extension has for it.
pub fn schemas() -> [(&'static str, serde_json::Value); 4] {
    [
        ("Hello", schemars::schema_for!(Hello).to_value()),
        ("Challenge", schemars::schema_for!(Challenge).to_value()),
        ("Offer", schemars::schema_for!(Offer).to_value()),
        ("Welcome", schemars::schema_for!(Welcome).to_value()),
    ]
}

/// Why the extension ended it; the code that it closes the connection with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// We didn't prove that we know the code.
    Mistrusted,
    /// The person took the tab back.
    Stopped,
    /// The tab was closed.
    Closed,
    /// The panel was closed.
    PanelClosed,
}

impl Ended {
    /// All of them, with the names that the extension has for them.
    pub const ALL: [(Ended, &'static str); 4] = [
        (Ended::Mistrusted, "mistrusted"),
        (Ended::Stopped, "stopped"),
        (Ended::Closed, "closed"),
        (Ended::PanelClosed, "panelClosed"),
    ];

    /// Its code, of those that are free for use by applications (RFC 6455, 7.4.2).
    pub const fn code(self) -> u16 {
        match self {
            Ended::Mistrusted => 4001,
            Ended::Stopped => 4002,
            Ended::Closed => 4003,
            Ended::PanelClosed => 4004,
        }
    }

    /// What a code says.
    pub(super) fn of(code: u16) -> Option<Self> {
        Self::ALL.into_iter().map(|(ended, _)| ended).find(|ended| ended.code() == code)
    }

    /// As the agent is told.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Ended::Mistrusted => "the extension doesn't know the code",
            Ended::Stopped => "the person took the tab back",
            Ended::Closed => "the tab was closed",
            Ended::PanelClosed => "the side panel was closed, and with it the tab taken back",
        }
    }
}

/// What may be asked of a lent tab: what looks, acts, judges and moves about in it. Nothing that reaches another tab, the browser, its
/// cookies, its downloads, files of the machine or the connections of the page is on it.
pub const METHODS: &[&str] = &[
    "Accessibility.disable",
    "Accessibility.enable",
    "Accessibility.getFullAXTree",
    "DOM.describeNode",
    "DOM.disable",
    "DOM.enable",
    "DOM.getBoxModel",
    "DOM.getDocument",
    "DOM.getFrameOwner",
    "DOM.requestNode",
    "DOM.resolveNode",
    "DOM.scrollIntoViewIfNeeded",
    "DOMDebugger.getEventListeners",
    "DOMDebugger.removeEventListenerBreakpoint",
    "DOMDebugger.setEventListenerBreakpoint",
    "Debugger.disable",
    "Debugger.enable",
    "Debugger.resume",
    "Debugger.setSkipAllPauses",
    "Input.dispatchDragEvent",
    "Input.dispatchKeyEvent",
    "Input.dispatchMouseEvent",
    "Input.insertText",
    "Input.setInterceptDrags",
    "Inspector.enable",
    "Log.enable",
    "Network.enable",
    "Overlay.disable",
    "Overlay.enable",
    "Overlay.hideHighlight",
    "Overlay.highlightNode",
    "Overlay.setShowContainerQueryOverlays",
    "Page.addScriptToEvaluateOnNewDocument",
    "Page.captureScreenshot",
    "Page.enable",
    "Page.getFrameTree",
    "Page.getLayoutMetrics",
    "Page.getNavigationHistory",
    "Page.handleJavaScriptDialog",
    "Page.navigate",
    "Page.navigateToHistoryEntry",
    "Page.reload",
    "Page.stopLoading",
    "Performance.enable",
    "Performance.getMetrics",
    "Runtime.addBinding",
    "Runtime.callFunctionOn",
    "Runtime.enable",
    "Runtime.evaluate",
    "Runtime.getProperties",
    "Runtime.releaseObject",
    "Runtime.releaseObjectGroup",
    "Runtime.runIfWaitingForDebugger",
    "Runtime.terminateExecution",
    "Target.detachFromTarget",
    "Target.setAutoAttach",
];

/// What is asked of the browser itself: the extension answers it, for the one tab.
pub const ANSWERED: &[&str] =
    &["Browser.getVersion", "Target.attachToTarget", "Target.getTargets", "Target.setDiscoverTargets"];

/// What is told of a lent tab. Headers with cookies (`Network.…ExtraInfo`) aren't on it.
pub const EVENTS: &[&str] = &[
    "Debugger.paused",
    "Input.dragIntercepted",
    "Inspector.targetCrashed",
    "Log.entryAdded",
    "Network.dataReceived",
    "Network.loadingFailed",
    "Network.loadingFinished",
    "Network.requestServedFromCache",
    "Network.requestWillBeSent",
    "Network.responseReceived",
    "Network.webSocketCreated",
    "Network.webSocketFrameSent",
    "Page.documentOpened",
    "Page.frameAttached",
    "Page.frameClearedScheduledNavigation",
    "Page.frameDetached",
    "Page.frameNavigated",
    "Page.frameRequestedNavigation",
    "Page.frameStartedLoading",
    "Page.frameStartedNavigating",
    "Page.frameStoppedLoading",
    "Page.javascriptDialogClosed",
    "Page.javascriptDialogOpening",
    "Page.navigatedWithinDocument",
    "Page.windowOpen",
    "Runtime.bindingCalled",
    "Runtime.consoleAPICalled",
    "Runtime.exceptionThrown",
    "Runtime.executionContextCreated",
    "Runtime.executionContextDestroyed",
    "Runtime.executionContextsCleared",
    "Target.attachedToTarget",
    "Target.detachedFromTarget",
    "Target.targetCrashed",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_on_the_list_reaches_beyond_the_tab() {
        let barred = ["Browser.", "Storage.", "Fetch.", "IO.", "Extensions.", "SystemInfo.", "Tracing.", "Emulation."];
        let barred_methods = [
            "DOM.setFileInputFiles",
            "Network.deleteCookies",
            "Network.getAllCookies",
            "Network.getCookies",
            "Network.getResponseBody",
            "Network.loadNetworkResource",
            "Network.setCookie",
            "Page.setDownloadBehavior",
            "Target.attachToTarget",
            "Target.closeTarget",
            "Target.createTarget",
            "Target.getTargets",
        ];
        for method in METHODS {
            assert!(!barred.iter().any(|domain| method.starts_with(domain)), "{method}");
            assert!(!barred_methods.contains(method), "{method}");
        }
        for list in [METHODS, ANSWERED, EVENTS] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }

    #[test]
    fn every_end_has_a_code_of_its_own() {
        for (ended, name) in Ended::ALL {
            assert_eq!(Ended::of(ended.code()), Some(ended), "{name}");
        }
        assert_eq!(Ended::of(1000), None);
    }
}
