//! Tools of the server against real databases and servers.

use handeye_chat::tools::mcp::Reach;
use handeye_chat::tools::{QueryDatabase, ServerTool, configured, mcp};
use handeye_commands::core::chat_settings::{ChatSettings, FetchSettings, McpSettings};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn query(url: &str, sql: &str) -> Result<Value, String> {
    let tool = QueryDatabase::new(url, "", 3, Duration::from_millis(800)).unwrap();
    let told = run(tool.call(&json!({"sql": sql})))?;
    Ok(serde_json::from_str(&told).unwrap())
}

/// A database with a table of five rows.
fn filled(url: &str) {
    run(async {
        sqlx::any::install_default_drivers();
        let pool = sqlx::AnyPool::connect(url).await.unwrap();
        for sql in [
            "CREATE TABLE goods (id BIGINT, name TEXT, price DOUBLE PRECISION)",
            "INSERT INTO goods VALUES (1, '茶', 9.5), (2, '米', NULL), (3, 'a;b', 1), (4, 'x', 2), (5, 'y', 3)",
        ] {
            sqlx::query(sql).execute(&pool).await.unwrap();
        }
        pool.close().await;
    });
}

/// What is read, what is refused, and that nothing is changed.
pub(super) fn reads_and_nothing_else(url: &str, endless: &str, long: &str) {
    let rows = query(url, "SELECT id, name, price FROM goods WHERE id < 3 ORDER BY id;").unwrap();
    assert_eq!(
        rows,
        json!({"success": true, "cut": false, "rows": [{"id": 1, "name": "茶", "price": 9.5}, {"id": 2, "name": "米", "price": null}]})
    );
    let many = query(url, "SELECT id FROM goods ORDER BY id -- a remark").unwrap();
    assert_eq!((many["rows"].as_array().map(Vec::len), &many["cut"]), (Some(3), &json!(true)));
    for sql in [
        "DELETE FROM goods",
        "DROP TABLE goods",
        "UPDATE goods SET price = 0 RETURNING id",
        "INSERT INTO goods VALUES (6, 'z', 1) RETURNING id",
        "SELECT 1; DROP TABLE goods",
        "SELECT 1) AS q; DROP TABLE goods; --",
        "WITH gone AS (DELETE FROM goods RETURNING id) SELECT id FROM gone",
        "ATTACH DATABASE 'x.db' AS x",
        "PRAGMA query_only = OFF",
        "COMMIT",
        "SELECT * FROM nothing",
        "SELEC 1",
        "",
    ] {
        assert!(query(url, sql).is_err(), "{sql}");
    }
    // A few long rows are enough, and the longest value is told as far as any.
    let long = query(url, &format!("SELECT {} AS x FROM goods", long)).unwrap();
    assert!(long["rows"][0]["x"].as_str().unwrap_or_default().chars().count() <= 1_001, "{:.200}", long.to_string());
    let start = Instant::now();
    let why = query(url, endless).expect_err("it is too slow");
    assert!(start.elapsed() < Duration::from_secs(20), "{why}");
    assert_eq!(query(url, "SELECT count(*) AS n FROM goods").unwrap()["rows"], json!([{"n": 5}]));
}

#[test]
fn a_file_is_read_and_nothing_else_is_done_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("x.db").display());
    assert!(query(&url, "SELECT 1").is_err(), "there is no file");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "none is made");
    filled(&format!("{url}?mode=rwc"));
    reads_and_nothing_else(
        &url,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
        "hex(zeroblob(500000))",
    );
    // What would take all memory there is isn't made.
    let begun = Instant::now();
    assert!(query(&url, "SELECT hex(zeroblob(499999999)) AS x").is_err());
    assert!(query(&url, "SELECT length(replace(hex(zeroblob(8000000)), '0', '0123456789')) AS x").is_err());
    // Nor what one function would work on for longer than the time that a query has.
    assert!(query(&url, "SELECT instr(hex(zeroblob(8000000)), hex(zeroblob(4000000)) || '1') AS x").is_err());
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[cfg(target_os = "linux")]
#[test]
fn postgresql_is_read_and_nothing_else_is_done_to_it() {
    let cluster = super::cluster::Postgres::start();
    let url = cluster.database();
    filled(&url);
    reads_and_nothing_else(&url, "SELECT pg_sleep(30)::text AS x", "repeat('x', 2000000)");
    // Values of any type are told.
    let odd =
        query(&url, "SELECT 1.50::numeric AS a, '2026-01-02'::date AS b, ARRAY[1, 2] AS c, '{\"d\": 1}'::jsonb AS e")
            .unwrap();
    assert_eq!(odd["rows"], json!([{"a": 1.50, "b": "2026-01-02", "c": [1, 2], "e": {"d": 1}}]));
}

/// A server of pages, and its address.
fn site() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut line = String::new();
            let _ = BufReader::new(&stream).read_line(&mut line);
            let (head, body) = match line.split(' ').nth(1).unwrap_or_default() {
                "/page" => {
                    ("200 OK\r\ncontent-type: text/html; charset=utf-8", "<h1>标题</h1><script>x</script><p>正文</p>")
                }
                "/picture" => ("200 OK\r\ncontent-type: image/png", "x"),
                "/there" => ("302 Found\r\nlocation: /page", ""),
                "/round" => ("302 Found\r\nlocation: /round", ""),
                "/away" => ("302 Found\r\nlocation: http://localhost:1/", ""),
                "/file" => ("302 Found\r\nlocation: file:///etc/passwd", ""),
                _ => ("404 Not Found", ""),
            };
            let _ =
                write!(stream, "HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        }
    });
    format!("http://{address}")
}

#[test]
fn pages_are_fetched_within_the_bounds_alone() {
    let site = site();
    let tool = |fetch: FetchSettings| {
        let settings = ChatSettings { fetch: FetchSettings { enabled: true, ..fetch }, ..ChatSettings::default() };
        configured(&settings, None).unwrap().remove(0)
    };
    let public = tool(FetchSettings::default());
    let ask = |tool: &dyn ServerTool, url: &str| run(tool.call(&json!({"url": url})));
    for url in [
        &format!("{site}/page"),
        "http://localhost/",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]/",
        "http://2130706433/",
        "file:///etc/passwd",
        "ftp://x.example/",
        "nonsense",
    ] {
        let why = ask(public.as_ref(), url).expect_err(url);
        assert!(!why.is_empty());
    }
    let near = tool(FetchSettings { private: true, allow_origins: vec![site.clone()], ..FetchSettings::default() });
    let read: Value = serde_json::from_str(&ask(near.as_ref(), &format!("{site}/there")).unwrap()).unwrap();
    assert_eq!((&read["text"], &read["url"]), (&json!("标题\n正文"), &json!(format!("{site}/page"))));
    for (path, part) in [
        ("/away", "out of bounds"),
        ("/file", "neither http"),
        ("/round", "more than 5 times"),
        ("/picture", "no text"),
        ("/none", "status 404"),
    ] {
        let why = ask(near.as_ref(), &format!("{site}{path}")).expect_err(path);
        assert!(why.contains(part), "{path}: {why}");
    }
}

/// A server of the Model Context Protocol over HTTP that is gone by the time its tool is called.
fn dying_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).unwrap_or(0) > 2 {
                let (name, value) = line.split_once(':').unwrap_or_default();
                if name.eq_ignore_ascii_case("content-length") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            std::io::Read::read_exact(&mut reader, &mut body).unwrap();
            let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
            let result = match asked["method"].as_str() {
                Some("initialize") => json!({
                    "protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}},
                    "serverInfo": {"name": "x", "version": "1"}
                }),
                Some("tools/list") => json!({"tools": [{"name": "look", "inputSchema": {"type": "object"}}]}),
                Some("tools/call") => return,
                _ => Value::Null,
            };
            let (status, body) = match (asked["method"].as_str(), result) {
                (None, _) => ("405 Method Not Allowed", String::new()),
                (_, Value::Null) => ("202 Accepted", String::new()),
                (_, result) => ("200 OK", json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}).to_string()),
            };
            let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close");
            let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        }
    });
    format!("http://ann:hunter2@{address}/mcp?api_key=k3y-of-mcp")
}

#[test]
fn nothing_of_how_a_server_is_reached_is_told_where_it_fails() {
    let reach = |url: String| Reach {
        settings: McpSettings { name: "own".into(), url: Some(url), ..McpSettings::default() },
        token: Some("t0ken-of-mcp".into()),
        hidden: Vec::new(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let why = runtime.block_on(async {
        let tools = mcp::tools(&[reach(dying_server())]).await.unwrap();
        tools[0].call(&json!({})).await.expect_err("it is gone")
    });
    let gone = "http://ann:hunter2@127.0.0.1:9/mcp?api_key=k3y-of-mcp".to_owned();
    let Err(never) = runtime.block_on(mcp::tools(&[reach(gone)])) else { panic!("nobody is there") };
    for told in [why, never.to_string()] {
        for part in ["k3y", "hunter2", "t0ken", "127.0.0.1", "://"] {
            assert!(!told.contains(part), "{told}");
        }
    }
}
