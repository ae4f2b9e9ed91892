//! The shapes of the Chrome DevTools Protocol that are in use, by hand.
//!
//! Every enumeration of the protocol is a plain string here, and every member that isn't needed to go on has a default:
//! a new browser release may add values and drop members without breaking a session.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) mod json;
mod listeners;
mod page_messages;
mod properties;
mod requests;
mod stacks;

pub(crate) use listeners::*;
pub(crate) use page_messages::*;
pub(crate) use properties::Properties;
pub(crate) use requests::*;
pub(crate) use stacks::*;

/// `Target.TargetInfo`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct TargetInfo {
    pub(crate) target_id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) title: String,
    pub(crate) url: String,
    pub(crate) opener_id: Option<String>,
    pub(crate) opener_frame_id: Option<String>,
    pub(crate) parent_frame_id: Option<String>,
    pub(crate) browser_context_id: Option<String>,
}

/// `Target.attachedToTarget`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Attached {
    pub(crate) session_id: String,
    pub(crate) target_info: TargetInfo,
    #[serde(default)]
    pub(crate) waiting_for_debugger: bool,
}

/// `Target.targetCreated`, `Target.targetInfoChanged`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TargetChanged {
    pub(crate) target_info: TargetInfo,
}

/// `Target.getTargets`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Targets {
    pub(crate) target_infos: Vec<TargetInfo>,
}

/// Events and answers that name one session or target: detached, destroyed, crashed, created.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Named {
    pub(crate) session_id: String,
    pub(crate) target_id: String,
    pub(crate) status: String,
}

/// `Page.Frame`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct FrameInfo {
    pub(crate) id: String,
    pub(crate) parent_id: Option<String>,
    pub(crate) loader_id: String,
    pub(crate) url: String,
    pub(crate) url_fragment: Option<String>,
    pub(crate) security_origin: String,
    pub(crate) unreachable_url: Option<String>,
}

/// `Page.FrameTree`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameTree {
    pub(crate) frame: FrameInfo,
    #[serde(default)]
    pub(crate) child_frames: Vec<FrameTree>,
}

/// `Page.getFrameTree`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameTreeReply {
    pub(crate) frame_tree: FrameTree,
}

/// Events about a frame; each has some of these members.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct FrameEvent {
    pub(crate) frame_id: String,
    pub(crate) parent_frame_id: Option<String>,
    pub(crate) loader_id: String,
    pub(crate) name: String,
    pub(crate) reason: String,
    pub(crate) url: String,
    pub(crate) navigation_type: String,
}

/// `Page.frameNavigated`.
#[derive(Debug, Deserialize)]
pub(crate) struct FrameNavigated {
    pub(crate) frame: FrameInfo,
}

/// `Page.javascriptDialogOpening`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct DialogOpening {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) message: String,
    pub(crate) default_prompt: Option<String>,
    /// Of the frame that opened it.
    pub(crate) url: String,
}

/// `Runtime.executionContextCreated`.
#[derive(Debug, Deserialize)]
pub(crate) struct ContextCreated {
    pub(crate) context: ContextInfo,
}

/// `Runtime.ExecutionContextDescription`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ContextInfo {
    pub(crate) id: i64,
    pub(crate) unique_id: String,
    pub(crate) name: String,
    /// That of its document, whatever the address says.
    pub(crate) origin: String,
    pub(crate) aux_data: ContextAux,
}

/// What the browser says of a context's frame.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ContextAux {
    pub(crate) frame_id: String,
    pub(crate) is_default: bool,
}

/// `Runtime.executionContextDestroyed`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ContextDestroyed {
    pub(crate) execution_context_id: i64,
    pub(crate) execution_context_unique_id: String,
}

/// `Runtime.bindingCalled`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct BindingCalled {
    pub(crate) name: String,
    pub(crate) payload: String,
    pub(crate) execution_context_id: i64,
}

/// `Debugger.paused`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Paused {
    pub(crate) reason: String,
}

/// `Runtime.consoleAPICalled`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ConsoleCalled {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) args: Vec<RemoteObject>,
    pub(crate) execution_context_id: i64,
    pub(crate) timestamp: f64,
    pub(crate) stack_trace: Option<StackTrace>,
}

/// `Runtime.exceptionThrown`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ExceptionThrown {
    pub(crate) timestamp: f64,
    pub(crate) exception_details: ExceptionDetails,
}

/// `Log.entryAdded`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct LogAdded {
    pub(crate) entry: LogEntry,
}

/// `Log.LogEntry`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct LogEntry {
    pub(crate) level: String,
    pub(crate) text: String,
    pub(crate) timestamp: f64,
    pub(crate) url: Option<String>,
    pub(crate) line_number: Option<i64>,
}

/// `Runtime.ObjectPreview`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Preview {
    pub(crate) subtype: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) overflow: bool,
    pub(crate) properties: Vec<PreviewMember>,
}

/// `Runtime.PropertyPreview`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct PreviewMember {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) value: Option<String>,
    pub(crate) value_preview: Option<Preview>,
}

/// `Browser.downloadWillBegin`, `downloadProgress`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Download {
    pub(crate) frame_id: String,
    pub(crate) guid: String,
    pub(crate) url: String,
    pub(crate) suggested_filename: String,
    pub(crate) state: String,
    pub(crate) file_path: Option<String>,
}

/// `Page.windowOpen`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct WindowOpened {
    pub(crate) url: String,
}

/// `Page.fileChooserOpened`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Chosen {
    pub(crate) mode: String,
    pub(crate) backend_node_id: Option<i64>,
}

/// `Runtime.RemoteObject`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct RemoteObject {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) subtype: Option<String>,
    pub(crate) value: Option<Box<RawValue>>,
    pub(crate) description: Option<String>,
    pub(crate) unserializable_value: Option<String>,
    pub(crate) preview: Option<Preview>,
    pub(crate) object_id: Option<String>,
}

/// `Runtime.evaluate`, `Runtime.callFunctionOn`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evaluated {
    pub(crate) result: RemoteObject,
    #[serde(default)]
    pub(crate) exception_details: Option<ExceptionDetails>,
}

/// `Runtime.ExceptionDetails`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ExceptionDetails {
    pub(crate) url: Option<String>,
    pub(crate) line_number: i64,
    pub(crate) column_number: i64,
    pub(crate) text: String,
    pub(crate) exception: Option<Exception>,
    pub(crate) execution_context_id: Option<i64>,
}

/// What was thrown.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Exception {
    pub(crate) description: Option<String>,
    pub(crate) value: Option<Value>,
}

/// `DOM.resolveNode`.
#[derive(Debug, Deserialize)]
pub(crate) struct Resolved {
    pub(crate) object: RemoteObject,
}

/// `DOM.describeNode`, of one node.
#[derive(Debug, Deserialize)]
pub(crate) struct DescribedNode {
    pub(crate) node: NodeNumber,
}

/// The part of `DOM.Node` that names it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeNumber {
    pub(crate) backend_node_id: i64,
    pub(crate) node_name: String,
}

/// `DOM.getFrameOwner`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct FrameOwner {
    pub(crate) backend_node_id: i64,
}

/// `DOM.getBoxModel`.
#[derive(Debug, Deserialize)]
pub(crate) struct BoxModelReply {
    pub(crate) model: BoxModel,
}

/// `DOM.BoxModel`.
#[derive(Debug, Deserialize)]
pub(crate) struct BoxModel {
    pub(crate) content: [f64; 8],
}

/// `Page.navigate`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Navigated {
    pub(crate) loader_id: Option<String>,
    pub(crate) error_text: Option<String>,
    pub(crate) is_download: bool,
}

/// `Page.getNavigationHistory`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct History {
    pub(crate) current_index: i64,
    pub(crate) entries: Vec<HistoryEntry>,
}

/// `Page.NavigationEntry`.
#[derive(Debug, Deserialize)]
pub(crate) struct HistoryEntry {
    pub(crate) id: i64,
    #[serde(default)]
    pub(crate) url: String,
}

/// `Page.captureScreenshot`.
#[derive(Debug, Deserialize)]
pub(crate) struct Screenshot {
    pub(crate) data: String,
}

/// `Page.getLayoutMetrics`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LayoutMetrics {
    pub(crate) css_content_size: Size,
}

/// A rectangle of `Page.getLayoutMetrics`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Size {
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// `Browser.getVersion`, `/json/version`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Version {
    pub(crate) product: String,
    #[serde(rename = "webSocketDebuggerUrl")]
    pub(crate) socket: Option<String>,
}

/// `Accessibility.getFullAXTree`.
#[derive(Debug, Deserialize)]
pub(crate) struct AxTree {
    pub(crate) nodes: Vec<AxTreeNode>,
}

/// `Accessibility.AXNode`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct AxTreeNode {
    pub(crate) node_id: String,
    pub(crate) ignored: bool,
    pub(crate) role: AxValue,
    pub(crate) name: AxValue,
    pub(crate) description: AxValue,
    pub(crate) value: AxValue,
    pub(crate) properties: Vec<AxProperty>,
    pub(crate) child_ids: Vec<String>,
    #[serde(rename = "backendDOMNodeId")]
    pub(crate) backend: Option<i64>,
}

/// `Accessibility.AXValue`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct AxValue {
    pub(crate) value: Value,
}

/// `Accessibility.AXProperty`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct AxProperty {
    pub(crate) name: String,
    pub(crate) value: AxValue,
}

impl AxValue {
    /// It as text; none where there is none.
    pub(crate) fn text(&self) -> Option<String> {
        match &self.value {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }
    }
}
