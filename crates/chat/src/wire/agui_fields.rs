//! The fields of AG-UI, for errors that were made by the names of the other wire.

use super::error::ChatError;

/// What a field of the chat's own wire is called in AG-UI. Of what stands in a decision the entry of `resume` is told, of which there is one.
fn called(field: &str) -> Option<String> {
    let known = match field {
        "message.toolId" => "resume[0].interruptId",
        "message" => "resume[0].payload",
        "tool_call_id" => "toolCallId",
        "request_id" => "runId",
        "session_id" => "threadId",
        "agent_id" => "forwardedProps.agent_id",
        "model" => "forwardedProps.model",
        _ => {
            let of = |begin: &str| field.strip_prefix(begin);
            return of("message.")
                .map(|name| format!("resume[0].payload.{name}"))
                .or_else(|| of("current_page_info").map(|rest| format!("forwardedProps.current_page_info{rest}")))
                .or_else(|| of("browser_tools").map(|rest| format!("tools{rest}")));
        }
    };
    Some(known.to_owned())
}

/// An error as a client of AG-UI can act on it: its field, and where the message names that.
pub fn in_its_words(mut error: ChatError) -> ChatError {
    let Some((field, name)) = error.field.as_ref().and_then(|field| Some((field.clone(), called(field)?))) else {
        return error;
    };
    error.message = error.message.replace(&format!("`{field}`"), &format!("`{name}`"));
    if field == "request_id" {
        error.message = error.message.replace("the request_id", "the runId");
    }
    error.field = Some(name);
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_fields_of_the_protocol() {
        for (field, wanted) in [
            ("message.toolId", "resume[0].interruptId"),
            ("message.approved", "resume[0].payload.approved"),
            ("message.arguments", "resume[0].payload.arguments"),
            ("message", "resume[0].payload"),
            ("tool_call_id", "toolCallId"),
            ("request_id", "runId"),
            ("agent_id", "forwardedProps.agent_id"),
            ("current_page_info", "forwardedProps.current_page_info"),
            ("browser_tools[3].name", "tools[3].name"),
            // Those of its own stay.
            ("messages[1].role", "messages[1].role"),
            ("forwardedProps.model", "forwardedProps.model"),
            ("runId", "runId"),
        ] {
            let error = in_its_words(ChatError::field(field, "is missing"));
            assert_eq!(error.field.as_deref(), Some(wanted));
            assert_eq!(error.message, format!("`{wanted}` is missing"));
        }
    }
}
