//! UI Automation. Its objects stay on the thread that made them.

use super::convert::{Fault, handle, hwnd, rect};
use crate::windows::records::automation::{Patterns, Record};
use crate::windows::records::window_list::Handle;
use ::windows::Win32::System::Com::{
    CLSCTX_INPROC_SERVER, COINIT_MULTITHREADED, CoCreateInstance, CoInitializeEx, CoTaskMemFree,
};
use ::windows::Win32::System::Ole::SafeArrayDestroy;
use ::windows::Win32::System::Variant::{VARIANT, VT_BOOL, VT_BSTR, VT_I4, VT_R8};
use ::windows::Win32::UI::Accessibility as a;
use ::windows::core::{BSTR, Interface};
use handeye_scene::Point;

/// How long a program may take for one answer.
const LIMIT_MS: u32 = 2000;

/// What is asked of each element, at once.
const PROPERTIES: [a::UIA_PROPERTY_ID; 42] = [
    a::UIA_ControlTypePropertyId,
    a::UIA_NamePropertyId,
    a::UIA_AutomationIdPropertyId,
    a::UIA_ClassNamePropertyId,
    a::UIA_HelpTextPropertyId,
    a::UIA_BoundingRectanglePropertyId,
    a::UIA_IsEnabledPropertyId,
    a::UIA_IsOffscreenPropertyId,
    a::UIA_HasKeyboardFocusPropertyId,
    a::UIA_IsKeyboardFocusablePropertyId,
    a::UIA_IsPasswordPropertyId,
    a::UIA_NativeWindowHandlePropertyId,
    a::UIA_ProcessIdPropertyId,
    a::UIA_RuntimeIdPropertyId,
    a::UIA_IsInvokePatternAvailablePropertyId,
    a::UIA_IsTogglePatternAvailablePropertyId,
    a::UIA_IsSelectionItemPatternAvailablePropertyId,
    a::UIA_IsExpandCollapsePatternAvailablePropertyId,
    a::UIA_IsValuePatternAvailablePropertyId,
    a::UIA_IsRangeValuePatternAvailablePropertyId,
    a::UIA_IsTextPatternAvailablePropertyId,
    a::UIA_IsScrollItemPatternAvailablePropertyId,
    a::UIA_IsScrollPatternAvailablePropertyId,
    a::UIA_IsWindowPatternAvailablePropertyId,
    a::UIA_ValueValuePropertyId,
    a::UIA_ValueIsReadOnlyPropertyId,
    a::UIA_ToggleToggleStatePropertyId,
    a::UIA_ExpandCollapseExpandCollapseStatePropertyId,
    a::UIA_RangeValueValuePropertyId,
    a::UIA_RangeValueMinimumPropertyId,
    a::UIA_RangeValueMaximumPropertyId,
    a::UIA_RangeValueIsReadOnlyPropertyId,
    a::UIA_SelectionItemIsSelectedPropertyId,
    a::UIA_SelectionCanSelectMultiplePropertyId,
    a::UIA_WindowIsModalPropertyId,
    a::UIA_IsLegacyIAccessiblePatternAvailablePropertyId,
    a::UIA_LegacyIAccessibleValuePropertyId,
    a::UIA_LegacyIAccessibleDefaultActionPropertyId,
    a::UIA_ScrollHorizontalScrollPercentPropertyId,
    a::UIA_ScrollVerticalScrollPercentPropertyId,
    a::UIA_FrameworkIdPropertyId,
    a::UIA_IsControlElementPropertyId,
];

/// The way to UI Automation.
pub(crate) struct Automation {
    api: a::IUIAutomation,
    /// Of an element alone.
    one: a::IUIAutomationCacheRequest,
    /// Of an element and all that is in it.
    all: a::IUIAutomationCacheRequest,
    controls: a::IUIAutomationCondition,
    walker: a::IUIAutomationTreeWalker,
}

/// One element: its object and what was asked of it.
#[derive(Clone)]
pub(crate) struct Live(a::IUIAutomationElement);

/// Why UI Automation can't be reached, by the system's number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Missing(pub(crate) u32);

impl Automation {
    /// Reaches it; on a thread of its own, from which nothing of it is taken away.
    pub(crate) fn start() -> Result<Self, Missing> {
        let missing = |e: ::windows::core::Error| Missing(e.code().0 as u32);
        // SAFETY: the thread is ours, and all that is made here stays on it.
        unsafe {
            // One that was done before is fine.
            let _ = CoInitializeEx(None, COINIT_MULTITHREADED);
            let api: a::IUIAutomation = CoCreateInstance(&a::CUIAutomation8, None, CLSCTX_INPROC_SERVER)
                .or_else(|_| CoCreateInstance(&a::CUIAutomation, None, CLSCTX_INPROC_SERVER))
                .map_err(missing)?;
            if let Ok(newer) = api.cast::<a::IUIAutomation2>() {
                // Versions without it wait as long as the system does.
                let _ = newer.SetConnectionTimeout(LIMIT_MS);
                let _ = newer.SetTransactionTimeout(LIMIT_MS);
            }
            let controls = api.ControlViewCondition().map_err(missing)?;
            let request = |scope| {
                let request = api.CreateCacheRequest()?;
                for property in PROPERTIES {
                    request.AddProperty(property)?;
                }
                request.SetTreeFilter(&controls)?;
                request.SetTreeScope(scope)?;
                request.SetAutomationElementMode(a::AutomationElementMode_Full)?;
                Ok(request)
            };
            let one = request(a::TreeScope_Element).map_err(missing)?;
            let all = request(a::TreeScope_Subtree).map_err(missing)?;
            let walker = api.ControlViewWalker().map_err(missing)?;
            Ok(Self { api, one, all, controls, walker })
        }
    }

    /// The element of a window.
    pub(crate) fn window(&self, window: Handle) -> Result<Live, Fault> {
        // SAFETY: it takes a handle, any, and a request of ours.
        Ok(unsafe { self.api.ElementFromHandleBuildCache(hwnd(window), &self.one) }.map(Live)?)
    }

    /// What lies right in an element, each asked anew.
    pub(crate) fn children(&self, of: &Live) -> Result<Vec<Live>, Fault> {
        // SAFETY: all of it is of this thread.
        unsafe { list(of.0.FindAllBuildCache(a::TreeScope_Children, &self.controls, &self.one)) }
    }

    /// An element anew, with all that is in it.
    pub(crate) fn whole(&self, of: &Live) -> Result<Live, Fault> {
        // SAFETY: as above.
        Ok(unsafe { of.0.BuildUpdatedCache(&self.all) }.map(Live)?)
    }

    /// An element anew.
    pub(crate) fn anew(&self, of: &Live) -> Result<Live, Fault> {
        // SAFETY: as above.
        Ok(unsafe { of.0.BuildUpdatedCache(&self.one) }.map(Live)?)
    }

    /// What lies right in an element, as it was asked for with it.
    pub(crate) fn asked_children(&self, of: &Live) -> Result<Vec<Live>, Fault> {
        // SAFETY: as above. One without children gives a null, which is an error without a number.
        match unsafe { of.0.GetCachedChildren() } {
            Ok(found) => unsafe { list(Ok(found)) },
            Err(error) if error.code().is_ok() => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    /// The element that a pointer hits at a place.
    pub(crate) fn at(&self, at: Point) -> Result<Live, Fault> {
        // SAFETY: it takes a place and a request of ours.
        Ok(unsafe { self.api.ElementFromPointBuildCache(super::convert::pixel(at), &self.one) }.map(Live)?)
    }

    /// What an element lies in; none at the top.
    pub(crate) fn around(&self, of: &Live) -> Option<Live> {
        // SAFETY: all of it is of this thread.
        unsafe { self.walker.GetParentElementBuildCache(&of.0, &self.one) }.ok().map(Live)
    }

    /// An element's runtime id.
    pub(crate) fn runtime_id(&self, of: &Live) -> Option<Vec<i32>> {
        // SAFETY: both arrays are ours once they are given; each is freed as its giver says.
        unsafe {
            let array = of.0.GetRuntimeId().ok()?;
            let mut numbers: *mut i32 = std::ptr::null_mut();
            let count = self.api.IntSafeArrayToNativeArray(array, &raw mut numbers);
            let _ = SafeArrayDestroy(array);
            let count = usize::try_from(count.ok()?).ok()?;
            if numbers.is_null() {
                return None;
            }
            let id = std::slice::from_raw_parts(numbers, count).to_vec();
            CoTaskMemFree(Some(numbers.cast()));
            Some(id)
        }
    }
}

unsafe fn list(found: ::windows::core::Result<a::IUIAutomationElementArray>) -> Result<Vec<Live>, Fault> {
    let found = found?;
    // SAFETY: the array is of this thread.
    let count = unsafe { found.Length() }?;
    // SAFETY: as above. One that vanished meanwhile fails nothing else.
    Ok((0..count).filter_map(|i| unsafe { found.GetElement(i) }.ok().map(Live)).collect())
}

impl Live {
    fn property(&self, of: a::UIA_PROPERTY_ID) -> Option<VARIANT> {
        // SAFETY: the element is of this thread. What it doesn't support is a value of another type.
        unsafe { self.0.GetCachedPropertyValueEx(of, true) }.ok()
    }

    // The system's own conversions aren't used: under Wine they end the process.
    fn number(&self, of: a::UIA_PROPERTY_ID) -> Option<i32> {
        let value = self.property(of)?;
        // SAFETY: the type says which member holds.
        unsafe {
            let inner = &value.Anonymous.Anonymous;
            (inner.vt == VT_I4).then(|| inner.Anonymous.lVal)
        }
    }

    fn real(&self, of: a::UIA_PROPERTY_ID) -> Option<f64> {
        let value = self.property(of)?;
        // SAFETY: the type says which member holds.
        unsafe {
            let inner = &value.Anonymous.Anonymous;
            (inner.vt == VT_R8).then(|| inner.Anonymous.dblVal)
        }
    }

    fn is(&self, of: a::UIA_PROPERTY_ID) -> Option<bool> {
        let value = self.property(of)?;
        // SAFETY: the type says which member holds.
        unsafe {
            let inner = &value.Anonymous.Anonymous;
            (inner.vt == VT_BOOL).then(|| inner.Anonymous.boolVal.as_bool())
        }
    }

    fn string(&self, of: a::UIA_PROPERTY_ID) -> Option<String> {
        let value = self.property(of)?;
        // SAFETY: the type says which member holds.
        unsafe {
            let inner = &value.Anonymous.Anonymous;
            (inner.vt == VT_BSTR).then(|| inner.Anonymous.bstrVal.to_string())
        }
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        // SAFETY: the element is of this thread.
        unsafe { self.0.CachedProcessId() }.map_or(0, |pid| pid as u32)
    }

    /// The window that it is, if it is one.
    pub(crate) fn own_handle(&self) -> Option<Handle> {
        // SAFETY: the element is of this thread.
        let found = unsafe { self.0.CachedNativeWindowHandle() }.ok()?;
        (!found.is_invalid()).then(|| handle(found))
    }

    /// What was asked of it.
    pub(crate) fn record(&self) -> Record {
        let can = |of| self.is(of) == Some(true);
        let legacy = can(a::UIA_IsLegacyIAccessiblePatternAvailablePropertyId);
        let patterns = Patterns {
            invoke: can(a::UIA_IsInvokePatternAvailablePropertyId),
            toggle: can(a::UIA_IsTogglePatternAvailablePropertyId),
            selection_item: can(a::UIA_IsSelectionItemPatternAvailablePropertyId),
            expand_collapse: can(a::UIA_IsExpandCollapsePatternAvailablePropertyId),
            value: can(a::UIA_IsValuePatternAvailablePropertyId),
            range_value: can(a::UIA_IsRangeValuePatternAvailablePropertyId),
            text: can(a::UIA_IsTextPatternAvailablePropertyId),
            scroll_item: can(a::UIA_IsScrollItemPatternAvailablePropertyId),
            scroll: can(a::UIA_IsScrollPatternAvailablePropertyId),
            window: can(a::UIA_IsWindowPatternAvailablePropertyId),
        };
        // SAFETY: the element is of this thread.
        let place = unsafe { self.0.CachedBoundingRectangle() }.ok().map(rect);
        let limits = || {
            let end = |of| self.real(of);
            Some((
                end(a::UIA_RangeValueValuePropertyId)?,
                end(a::UIA_RangeValueMinimumPropertyId)?,
                end(a::UIA_RangeValueMaximumPropertyId)?,
            ))
        };
        let text = |of| self.string(of).unwrap_or_default();
        Record {
            kind: self.number(a::UIA_ControlTypePropertyId).unwrap_or_default(),
            name: text(a::UIA_NamePropertyId),
            automation_id: text(a::UIA_AutomationIdPropertyId),
            class: text(a::UIA_ClassNamePropertyId),
            help: text(a::UIA_HelpTextPropertyId),
            rect: place.filter(|r| r.width > 0.0 && r.height > 0.0),
            enabled: self.is(a::UIA_IsEnabledPropertyId).unwrap_or(true),
            offscreen: can(a::UIA_IsOffscreenPropertyId),
            focused: can(a::UIA_HasKeyboardFocusPropertyId),
            focusable: can(a::UIA_IsKeyboardFocusablePropertyId),
            password: can(a::UIA_IsPasswordPropertyId),
            value: if patterns.value { Some(text(a::UIA_ValueValuePropertyId)) } else { None },
            read_only: can(a::UIA_ValueIsReadOnlyPropertyId) || can(a::UIA_RangeValueIsReadOnlyPropertyId),
            toggle: self.number(a::UIA_ToggleToggleStatePropertyId).filter(|_| patterns.toggle),
            expanded: self
                .number(a::UIA_ExpandCollapseExpandCollapseStatePropertyId)
                .filter(|_| patterns.expand_collapse),
            range: if patterns.range_value { limits() } else { None },
            selected: self.is(a::UIA_SelectionItemIsSelectedPropertyId).filter(|_| patterns.selection_item),
            multiple: can(a::UIA_SelectionCanSelectMultiplePropertyId),
            modal: patterns.window && can(a::UIA_WindowIsModalPropertyId),
            legacy_value: if legacy { self.string(a::UIA_LegacyIAccessibleValuePropertyId) } else { None },
            legacy_action: if legacy { text(a::UIA_LegacyIAccessibleDefaultActionPropertyId) } else { String::new() },
            items: Vec::new(),
            patterns,
        }
    }

    fn pattern<T: Interface>(&self, of: a::UIA_PATTERN_ID) -> Result<T, Fault> {
        // SAFETY: the element is of this thread; the caller names the interface of that pattern.
        Ok(unsafe { self.0.GetCurrentPatternAs::<T>(of) }?)
    }

    /// Does what a click does, by this pattern. One that opens a dialog may answer when that is closed: it was done.
    pub(crate) fn activate(&self, pattern: &str) -> Result<(), Fault> {
        // SAFETY: the patterns are of this thread.
        let done: ::windows::core::Result<()> = unsafe {
            match pattern {
                "TogglePattern" => self.pattern::<a::IUIAutomationTogglePattern>(a::UIA_TogglePatternId)?.Toggle(),
                "SelectionItemPattern" => {
                    self.pattern::<a::IUIAutomationSelectionItemPattern>(a::UIA_SelectionItemPatternId)?.Select()
                }
                _ => self.pattern::<a::IUIAutomationInvokePattern>(a::UIA_InvokePatternId)?.Invoke(),
            }
        };
        match done.map_err(Fault::from) {
            Err(Fault::Late) => Ok(()),
            other => other,
        }
    }

    /// Opens or closes it.
    pub(crate) fn expand(&self, on: bool) -> Result<(), Fault> {
        let pattern = self.pattern::<a::IUIAutomationExpandCollapsePattern>(a::UIA_ExpandCollapsePatternId)?;
        // SAFETY: the pattern is of this thread.
        Ok(unsafe { if on { pattern.Expand() } else { pattern.Collapse() } }?)
    }

    /// Sets its text.
    pub(crate) fn set_text(&self, text: &str) -> Result<(), Fault> {
        let pattern = self.pattern::<a::IUIAutomationValuePattern>(a::UIA_ValuePatternId)?;
        // SAFETY: as above.
        Ok(unsafe { pattern.SetValue(&BSTR::from(text)) }?)
    }

    /// Sets its number.
    pub(crate) fn set_number(&self, number: f64) -> Result<(), Fault> {
        let pattern = self.pattern::<a::IUIAutomationRangeValuePattern>(a::UIA_RangeValuePatternId)?;
        // SAFETY: as above.
        Ok(unsafe { pattern.SetValue(number) }?)
    }

    /// Its whole text, by its ranges.
    pub(crate) fn all_text(&self) -> Result<String, Fault> {
        let pattern = self.pattern::<a::IUIAutomationTextPattern>(a::UIA_TextPatternId)?;
        // SAFETY: as above.
        Ok(unsafe { pattern.DocumentRange()?.GetText(-1) }?.to_string())
    }

    /// Gives it the keyboard.
    pub(crate) fn take_keyboard(&self) -> Result<(), Fault> {
        // SAFETY: the element is of this thread.
        Ok(unsafe { self.0.SetFocus() }?)
    }

    /// Scrolls it into view.
    pub(crate) fn show_itself(&self) -> Result<(), Fault> {
        let pattern = self.pattern::<a::IUIAutomationScrollItemPattern>(a::UIA_ScrollItemPatternId)?;
        // SAFETY: as above.
        Ok(unsafe { pattern.ScrollIntoView() }?)
    }

    /// How far it is scrolled, in hundredths of all.
    pub(crate) fn scrolled(&self) -> Option<(f64, f64)> {
        let part = |of| self.real(of).filter(|p| *p >= 0.0).unwrap_or(0.0);
        let can = self.is(a::UIA_IsScrollPatternAvailablePropertyId) == Some(true);
        can.then(|| {
            (part(a::UIA_ScrollHorizontalScrollPercentPropertyId), part(a::UIA_ScrollVerticalScrollPercentPropertyId))
        })
    }
}
