//! A PostgreSQL of a test's own: on a socket in a folder of its own, and gone with the test.

use nix::sys::statvfs::statvfs;
use std::cell::Cell;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Who it runs as where the tests run as root, whom it refuses: the first that there is.
const USERS: [&str; 2] = ["postgres", "nobody"];

/// Where memory is used as a file system, and how many bytes of it must be free: a few clusters run at a time, of 100 to 200 MB
/// each.
const MEMORY: (&str, f64) = ("/dev/shm", 2e9);

/// How folders of clusters are called, before the number of their test's process.
const PREFIX: &str = "hepg-";

/// A running server.
pub struct Postgres {
    folder: TempDir,
    programs: PathBuf,
    server: Cell<Option<Child>>,
    databases: Cell<usize>,
}

/// Where its programs are.
fn programs() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let of_debian = versions.map(|version| version.path().join("bin"));
    let found =
        std::env::split_paths(&path).chain(of_debian).map(|folder| folder.join("initdb")).find(|file| file.is_file());
    let found = found.expect("PostgreSQL is needed: cargo xtask test --only install");
    // A link to it may stand elsewhere than the rest.
    found.canonicalize().unwrap().parent().unwrap().to_owned()
}

/// An empty folder for a cluster, in memory where there is room: making a cluster and each of its databases writes some ten
/// megabytes.
fn folder() -> TempDir {
    let (memory, least) = MEMORY;
    sweep(memory);
    let prefix = format!("{PREFIX}{}-", std::process::id());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    let has_room = statvfs(memory).is_ok_and(|of| of.blocks_available() as f64 * of.fragment_size() as f64 > least);
    let made = has_room.then(|| builder.tempdir_in(memory).ok()).flatten();
    made.unwrap_or_else(|| builder.tempdir().unwrap())
}

/// Frees the memory that clusters of tests take which were killed.
fn sweep(memory: &str) {
    let is_over = |name: &str| {
        let test = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next());
        test.is_some_and(|pid| !Path::new("/proc").join(pid).exists())
    };
    for entry in std::fs::read_dir(memory).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_over) {
            // Another test may be at it.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// The name of a database in its address.
fn name(url: &str) -> &str {
    url.split(['/', '?']).nth(3).unwrap_or_default()
}

/// A number of a user: `-u` its own, `-g` its group's.
fn number(option: &str, user: &str) -> Option<u32> {
    let said = Command::new("id").args([option, user]).stderr(Stdio::null()).output().ok()?;
    String::from_utf8(said.stdout).ok()?.trim().parse().ok()
}

impl Postgres {
    pub fn start() -> Self {
        let cluster = Self { folder: folder(), programs: programs(), server: Cell::new(None), databases: Cell::new(0) };
        if let Some((_, user, group)) = cluster.other_user() {
            chown(cluster.folder.path(), Some(user), Some(group)).unwrap();
        }
        std::fs::set_permissions(cluster.folder.path(), PermissionsExt::from_mode(0o700)).unwrap();
        let made = cluster
            .command("initdb")
            .args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-D"])
            .arg(cluster.folder.path().join("data"))
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        cluster.run();
        cluster
    }

    /// Where the tests run as root, who it runs as instead.
    fn other_user(&self) -> Option<(&'static str, u32, u32)> {
        if Path::new("/proc/self").metadata().unwrap().uid() != 0 {
            return None;
        }
        let found = USERS.iter().find_map(|user| Some((*user, number("-u", user)?, number("-g", user)?)));
        Some(found.expect("there is a user who isn't root"))
    }

    /// One of its programs, which ends with the test.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "QUIT"]);
        if let Some((_, user, group)) = self.other_user() {
            command.args([format!("--reuid={user}"), format!("--regid={group}"), "--clear-groups".into()]);
        }
        command.arg("--").arg(self.programs.join(program)).current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    /// Starts it, and waits until it answers.
    pub fn run(&self) {
        let child = self
            .command("postgres")
            .args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=200", "-k"])
            .arg(self.folder.path())
            .arg("-D")
            .arg(self.folder.path().join("data"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.server.set(Some(child));
        let end = Instant::now() + Duration::from_secs(60);
        while !self.psql("postgres", "SELECT 1").status.success() {
            assert!(Instant::now() < end, "PostgreSQL doesn't answer");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn psql(&self, database: &str, sql: &str) -> std::process::Output {
        let mut command = self.command("psql");
        command.args(["-q", "-t", "-A", "-U", "postgres", "-d", database, "-c", sql, "-h"]).arg(self.folder.path());
        command.output().unwrap()
    }

    /// What a statement returns that the database of an address is sent.
    #[track_caller]
    pub fn sql(&self, url: &str, sql: &str) -> String {
        let came = self.psql(name(url), sql);
        assert!(came.status.success(), "{}", String::from_utf8_lossy(&came.stderr));
        String::from_utf8(came.stdout).unwrap().trim().to_owned()
    }

    /// Sets a database's own clock so many seconds ahead; the first time for connections that are made later.
    pub fn set_clock(&self, url: &str, seconds: i64) {
        let shifted = format!("SELECT pg_catalog.clock_timestamp() + interval ''{seconds} s''");
        self.sql(url, "CREATE SCHEMA IF NOT EXISTS shifted");
        self.sql(
            url,
            &format!(
                "CREATE OR REPLACE FUNCTION shifted.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS '{shifted}'"
            ),
        );
        self.sql(url, &format!("ALTER DATABASE {} SET search_path = public, shifted, pg_catalog", name(url)));
    }

    /// Ends it as a crash does.
    pub fn crash(&self) {
        if let Some(mut child) = self.server.take() {
            let _ = Command::new("kill").args(["-QUIT", &child.id().to_string()]).status();
            child.wait().unwrap();
        }
    }

    /// The address of a new, empty database.
    pub fn database(&self) -> String {
        let name = format!("t{}", self.databases.replace(self.databases.get() + 1));
        let made = self.psql("postgres", &format!("CREATE DATABASE {name}"));
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        format!("postgres://postgres@localhost/{name}?host={}", self.folder.path().display())
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.crash();
    }
}
