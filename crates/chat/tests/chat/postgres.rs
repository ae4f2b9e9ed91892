//! The same on PostgreSQL, which several servers share.

use super::client;
use super::cluster::Postgres;
use super::conformance::{self, scripted};
use super::server::{CHAT, Chat, Database, JSON, WAYS, bare, call, decision, request, settings, use_postgres};
use super::{durable, hostile, models, page};
use handeye_chat::store::{Kind, Lease, Store, verify_audit};
use handeye_commands::core::chat_settings::Calling;
use handeye_scene::chat::Usage;
use handeye_testkit::is_full;
use handeye_testkit::models::{Answer, Asked, ModelServer};
use serde_json::json;
use sqlx::{AnyConnection, Connection};
use std::rc::Rc;
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

fn cluster() -> Rc<Postgres> {
    let cluster = Rc::new(Postgres::start());
    use_postgres(&cluster);
    cluster
}

#[test]
fn the_document_s_examples_hold_on_postgresql() {
    let _cluster = cluster();
    conformance::every_form_of_a_call_is_told_as_the_document_writes_it();
    conformance::words_are_streamed_in_the_document_s_bytes();
    conformance::tools_are_given_to_the_model_in_the_form_of_its_wire_and_the_page_is_data();
    conformance::without_tools_and_page_nothing_is_injected();
    conformance::a_page_without_elements_has_the_document_s_line_and_what_isn_t_told_is_unknown();
    conformance::each_browser_tool_is_called_carried_out_by_the_client_and_told_to_the_model();
    conformance::a_tool_of_the_server_waits_for_the_person_too();
    conformance::a_refusal_is_answered_by_the_document_s_words_and_the_model_learns_of_it();
    conformance::calls_that_a_client_without_ids_could_mix_up_are_told_one_after_the_other();
    conformance::a_client_with_a_token_is_told_ids_and_may_name_them();
}

#[test]
fn what_models_do_wrong_is_told_on_postgresql() {
    let _cluster = cluster();
    models::what_a_model_s_server_does_wrong_is_told_and_can_be_tried_again();
    models::a_call_that_can_t_be_made_goes_back_to_the_model_and_never_to_the_client();
    models::a_call_in_the_text_that_is_cut_off_is_neither_told_nor_made();
    // Of these the database hears no more than of those.
    if !is_full() {
        return;
    }
    models::a_model_that_says_nothing_is_given_up();
    models::passing_faults_before_a_word_was_said_are_passed_over();
    models::a_model_that_never_gets_it_right_is_stopped();
}

#[test]
fn what_is_refused_and_what_is_kept_is_so_on_postgresql() {
    let _cluster = cluster();
    super::attacks::each_attack_on_an_approval_is_refused_and_noted();
    super::attacks::an_approval_is_void_where_what_its_call_names_became_something_else();
    hostile::users_are_told_apart_by_their_tokens_alone();
    hostile::an_approval_holds_for_what_was_proposed_on_that_page_once();
    hostile::two_approvals_at_once_carry_a_call_out_once();
    hostile::a_user_has_so_many_requests_and_tokens();
    hostile::nothing_of_a_page_or_a_conversation_is_in_the_audit_log();
    durable::an_answer_is_kept_though_its_client_is_gone();
    durable::results_and_approvals_that_are_sent_again_are_taken_once();
    durable::a_conversation_goes_on_at_another_start_of_the_server();
    durable::what_the_person_says_instead_of_answering_voids_the_call();
    durable::an_answer_that_a_server_cut_off_at_its_end_is_not_told_as_cancelled();
    super::conversations::a_user_reads_exports_and_deletes_what_is_theirs();
    super::conversations::an_answer_is_cancelled_and_the_conversation_goes_on();
    super::agui::a_conversation_with_calls_of_both_sides_and_an_approval();
    super::agui::who_lost_the_connection_hears_the_rest_once();
    super::policy::what_is_granted_holds_for_the_tool_the_site_and_the_conversation();
    super::questions::the_person_is_asked_by_the_question_of_every_front_end_and_it_is_kept();
    super::questions::a_question_that_a_server_died_before_is_asked_by_the_next();
    // What follows asks the database for nothing that the others do not.
    if !is_full() {
        return;
    }
    page::a_hostile_page_stays_between_the_lines_of_its_fence();
    super::attacks::an_approval_of_what_the_server_does_outlives_another_fragment();
    super::attacks::an_approval_that_tells_of_no_page_is_void_where_the_call_was_proposed_on_one();
    super::attacks::an_edited_call_is_noted_as_it_was_agreed_to();
    super::attacks::what_a_client_turned_away_is_noted_as_far_as_it_may_be();
    durable::what_was_done_is_taken_however_late();
    super::agui::the_rest_of_a_run_is_told_though_another_followed();
    super::agui::who_heard_an_earlier_run_is_told_nothing_of_what_the_latest_came_to();
    super::conversations::what_was_told_before_a_stop_is_kept_as_cut_off();
    super::conversations::a_message_that_was_stopped_again_and_again_is_one_message();
    super::policy::what_a_rule_allows_is_carried_out_without_a_question();
    super::questions::a_question_that_nobody_answers_in_time_holds_up_nothing();
    super::questions::a_question_that_a_server_died_before_is_asked_where_another_was_told();
    super::questions::a_question_tells_no_secret();
    super::questions::a_question_outlives_no_clock_that_is_set_back();
}

#[test]
fn what_is_sent_again_is_taken_once_on_postgresql() {
    let _cluster = cluster();
    super::again::an_approval_whose_answer_got_lost_doesn_t_approve_the_next_call();
    super::again::a_result_that_comes_again_after_another_isn_t_the_next_call_s();
    super::again::a_refusal_whose_answer_got_lost_doesn_t_refuse_the_next_call();
    super::again::a_result_whose_answer_got_lost_isn_t_the_next_call_s();
    super::again::a_word_before_the_end_of_the_last_answer_is_about_the_next_call();
    super::again::a_call_that_was_held_back_is_told_again_with_the_answer_that_told_of_it();
    super::again::results_and_decisions_with_a_request_id_are_taken_once();
    super::again::the_second_call_of_a_tool_of_the_server_is_decided_on_by_the_tool_s_name();
    super::again::an_approval_whose_answer_failed_is_answered_by_the_same_words();
    super::again::a_message_that_comes_again_comes_with_its_new_page();
}

#[test]
fn what_is_counted_and_hidden_is_so_on_postgresql() {
    let _cluster = cluster();
    hostile::many_answers_at_once_are_held_to_the_limit_of_tokens();
    hostile::each_step_of_an_answer_is_held_to_the_limit_and_a_killed_server_s_counts();
    hostile::keys_and_tokens_reach_no_model_no_export_and_nobody_else();
    super::long::a_long_conversation_is_read_as_far_as_it_is_told();
    if is_full() {
        super::long::a_conversation_without_end_is_told_from_the_person_s_last_words();
    }
    super::long::a_log_that_was_changed_is_found_by_following_it();
    super::audit::a_log_that_nobody_touched_is_intact();
    super::audit::an_emptied_log_beside_what_leaves_entries_is_not_intact();
    super::audit::a_log_without_its_guard_is_told();
    super::audit::a_log_whose_end_was_cut_off_lacks_a_digest_that_was_noted();
    super::audit::an_entry_of_another_type_was_changed();
}

#[test]
fn several_servers_serve_one_conversation() {
    let _cluster = cluster();
    let database = Database::new();
    let search = models::search_server();
    let model = scripted([
        call(Calling::Native, "", "clear_ai_styles", "{}"),
        call(Calling::Native, "", "search_web", "{\"query\": \"x\"}"),
        Answer::Say("完".into()),
    ]);
    let mut settings = settings(&model, WAYS[0]);
    settings.search.url = Some(search.url());
    let servers = [(); 3].map(|()| Chat::plain(&database, &settings));
    assert_eq!(servers[0].chat(&request("做")).calls().len(), 1);
    let result = request("浏览器工具 clear_ai_styles 执行结果: {\"success\": true}");
    assert_eq!(servers[1].chat(&result).calls().len(), 1);
    // The same approval at all of them at once is carried out by one.
    let approval = decision(&json!({"toolId": "tool_1", "approved": true}));
    let answers: Vec<_> = std::thread::scope(|scope| {
        let all: Vec<_> = servers.iter().map(|server| scope.spawn(|| server.chat(&approval))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for answer in answers {
        assert!(answer.status == 200 && answer.text() == "完" || answer.code() == "run_in_progress", "{answer:?}");
    }
    assert_eq!(search.asked().len(), 1);
    assert_eq!(verify_audit(&servers[2].audit()), None);
}

#[test]
fn another_server_goes_on_where_one_died() {
    let cluster = cluster();
    let database = Database::new();
    if !is_full() {
        // A clock that can be moved later is there before anybody connects.
        cluster.set_clock(&database.url(), 0);
    }
    let (go, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let model = ModelServer::new(move |asked: &Asked| {
        if asked.number == 0 {
            let _ = wait.lock().unwrap().recv();
        }
        Answer::Say("答".into())
    });
    let settings = settings(&model, WAYS[0]);
    let (first, second) = (Chat::plain(&database, &settings), Chat::plain(&database, &settings));
    let lost = client::begin(first.port, CHAT, &[JSON], bare("问").to_string().as_bytes()).unwrap();
    while model.asked().is_empty() {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(second.chat(&bare("问")).code(), "run_in_progress");
    first.crash();
    if !is_full() {
        // The time passes for which the one that died holds the conversation.
        cluster.set_clock(&database.url(), 60);
    }
    let start = Instant::now();
    let answer = loop {
        let answer = second.chat(&bare("问"));
        if answer.status == 200 {
            break answer;
        }
        assert_eq!(answer.code(), "run_in_progress");
        assert!(start.elapsed() < Duration::from_secs(60), "nobody goes on");
        std::thread::sleep(Duration::from_millis(200));
    };
    assert_eq!(answer.text(), "答");
    assert_eq!(model.asked()[1].from_person(), ["问"], "it was said once");
    drop((lost, go));
}

#[test]
fn a_conversation_outlives_its_database_s_restart() {
    let cluster = cluster();
    let database = Database::new();
    let model = scripted([
        call(Calling::Native, "", "clear_ai_styles", "{}"),
        Answer::Say("完".into()),
        Answer::Say("还在".into()),
    ]);
    let chat = Chat::plain(&database, &settings(&model, WAYS[0]));
    assert_eq!(chat.chat(&request("做")).calls().len(), 1);
    cluster.crash();
    let result = request("浏览器工具 clear_ai_styles 执行结果: {\"success\": true}");
    let answer = chat.chat(&result);
    assert_eq!((answer.status, answer.code().as_str()), (503, "database"), "{answer:?}");
    assert_eq!(client::send(chat.port, "GET /healthz", &[], b"").unwrap().status, 503);
    cluster.run();
    assert_eq!(chat.chat(&result).text(), "完");
    assert_eq!(chat.chat(&request("还在吗")).text(), "还在");
    assert_eq!(verify_audit(&chat.audit()), None);
}

#[test]
fn runs_of_other_servers_are_followed() {
    let _cluster = cluster();
    super::agui::a_run_of_another_server_is_followed_to_its_end();
}

/// Servers whose clocks differ agree by the database's. Here its own clock is another than theirs.
#[test]
fn leases_and_approvals_go_by_the_database_s_clock() {
    let cluster = cluster();
    let database = Database::new();
    let url = database.url();
    cluster.set_clock(&url, -3_600);
    let (go, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let model = ModelServer::new(move |asked: &Asked| match asked.number {
        0 => Answer::Call(vec![("search_web".into(), "{\"query\": \"x\"}".into())]),
        _ => {
            let _ = wait.lock().unwrap().recv();
            Answer::Say("答".into())
        }
    });
    let mut settings = settings(&model, WAYS[0]);
    settings.search.url = Some("http://127.0.0.1:9/".into());
    let (first, second) = (Chat::plain(&database, &settings), Chat::plain(&database, &settings));
    let now =
        || cluster.sql(&url, "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint").parse::<i64>().unwrap();
    // A call waits for as long as the settings say from the database's now on.
    assert_eq!(first.chat(&request("查")).calls().len(), 1);
    let expires: i64 = cluster.sql(&url, "SELECT expires FROM calls").parse().unwrap();
    assert!((now()..now() + 600_000).contains(&(expires - 1)), "{expires} {}", now());
    // A lease is held until some seconds from the database's now on, and is seen to be at another server.
    let lost = client::begin(first.port, CHAT, &[JSON], request("问").to_string().as_bytes()).unwrap();
    while model.asked().len() < 2 {
        std::thread::sleep(Duration::from_millis(20));
    }
    let until: i64 = cluster.sql(&url, "SELECT run_until FROM conversations").parse().unwrap();
    assert!((now() - 20_000..now() + 20_000).contains(&until), "{until} {}", now());
    assert_eq!(second.chat(&request("问")).code(), "run_in_progress");
    first.crash();
    // By the database's clock it has run out at once; by the servers' own it hasn't.
    cluster.set_clock(&url, -3_500);
    (0..2).for_each(|_| go.send(()).unwrap());
    assert_eq!(second.chat(&request("问")).text(), "答");
    drop((lost, go));
}

/// A large database takes long to be brought up to date, and what else uses it holds that up: neither ends it half way.
#[test]
fn tables_are_brought_up_to_date_for_as_long_as_that_takes() {
    let cluster = Postgres::start();
    let url = cluster.database();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let open = || runtime.block_on(async { Store::open(&url).await.map(|store| store.kind()) });
    open().unwrap();
    let mut other = runtime.block_on(AnyConnection::connect(&url)).unwrap();
    for sql in ["BEGIN", "LOCK TABLE _sqlx_migrations"] {
        runtime.block_on(sqlx::query(sql).execute(&mut other)).unwrap();
    }
    let begun = Instant::now();
    runtime.spawn(async move {
        tokio::time::sleep(Duration::from_secs(11)).await;
        other.close().await
    });
    assert_eq!(open().unwrap(), Kind::Postgres);
    assert!(begun.elapsed() > Duration::from_secs(10), "it wasn't held up: {:?}", begun.elapsed());
}

/// A conversation with one answer, and what another server writes to it meanwhile.
struct Race {
    cluster: Rc<Postgres>,
    url: String,
    chat: Chat,
    conversation: String,
    other: AnyConnection,
}

impl Race {
    /// With a transaction of the other server begun by these statements about the conversation `$1`.
    fn begun(statements: &[&'static str]) -> Self {
        let cluster = cluster();
        let database = Database::new();
        let model = scripted([Answer::Say("答".into())]);
        let chat = Chat::plain(&database, &settings(&model, WAYS[0]));
        assert_eq!(chat.chat(&bare("问")).text(), "答");
        let url = database.url();
        let conversation = cluster.sql(&url, "SELECT id FROM conversations");
        let other = chat.block_on(async {
            let mut other = AnyConnection::connect(&url).await.unwrap();
            sqlx::query("BEGIN").execute(&mut other).await.unwrap();
            for statement in statements {
                sqlx::query(*statement).bind(&conversation).execute(&mut other).await.unwrap();
            }
            other
        });
        Self { cluster, url, chat, conversation, other }
    }

    /// Ends the other server's transaction once something waits for it.
    fn ended_by<T>(mut self, waiting: impl Future<Output = T>) -> (Self, T) {
        let blocked =
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let ending = async {
            let end = Instant::now() + Duration::from_secs(20);
            while self.cluster.sql(&self.url, blocked) == "0" {
                assert!(Instant::now() < end, "nothing waits");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            sqlx::query("COMMIT").execute(&mut self.other).await.unwrap();
        };
        let (came, ()) = self.chat.block_on(async { tokio::join!(waiting, ending) });
        (self, came)
    }
}

/// What was cut off is no part of a conversation in which more was said by the time that it could be kept.
#[test]
fn what_was_cut_off_is_not_kept_behind_what_another_server_says_meanwhile() {
    let race = Race::begun(&[
        "UPDATE conversations SET next_seq = next_seq + 1 WHERE id = $1",
        "INSERT INTO messages (conversation, seq, kind, body, created) VALUES ($1, 3, 'user', '又问', 0)",
    ]);
    let run = race.cluster.sql(&race.url, "SELECT id FROM runs");
    let lease = Lease { conversation: race.conversation.clone(), run, user: "user_xxx".into() };
    let (store, cut) = (race.chat.store.clone(), ("一半".to_owned(), 2));
    let (race, ended) = race.ended_by(store.end_run(&lease, "cancelled", Usage::default(), Some(&cut)));
    ended.unwrap();
    assert_eq!(
        race.cluster.sql(&race.url, "SELECT STRING_AGG(kind, ' ' ORDER BY seq) FROM messages"),
        "user assistant user"
    );
}

/// Who cancels ends the answer that is under way by then, and is told so.
#[test]
fn a_cancel_ends_the_run_that_took_the_lease_meanwhile_and_says_which() {
    let race = Race::begun(&[
        "UPDATE conversations SET run_id = 'run_next', run_until = 9000000000000 WHERE id = $1",
        "INSERT INTO runs (id, user_id, conversation, started, outcome, input_tokens, output_tokens) SELECT 'run_next', user_id, id, 9000000000000, 'running', 0, 0 FROM conversations WHERE id = $1",
    ]);
    let (store, conversation) = (race.chat.store.clone(), race.conversation.clone());
    let (race, cancelled) = race.ended_by(store.cancel_run(&conversation, "user_xxx"));
    assert_eq!(cancelled, Ok((Some("run_next".to_owned()), true)));
    let sql = |sql: &str| race.cluster.sql(&race.url, sql);
    assert_eq!(sql("SELECT outcome FROM runs WHERE id = 'run_next'"), "cancelled");
    assert_eq!(sql("SELECT COUNT(*) FROM conversations WHERE run_id IS NULL"), "1");
}
