//! Unix: a socket in the folder, whose other end's user the kernel tells; files whose modes close them to others; a lock on
//! the record.

use super::exchange::{Replies, Wait, Watch, ask};
use super::refusal::{Unconnected, Unfit};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{AccessFlags, Pid, access, geteuid};
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, Interest};
use tokio::net::UnixListener;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf, pipe};
use tokio::signal::unix::{SignalKind, signal};

/// Bytes a socket's path may have: what the kernel's address structure holds, less the final zero.
const SOCKET_PATH_MAX: usize = if cfg!(target_os = "linux") { 107 } else { 103 };
/// How long a daemon may take nothing of what it is sent: one that lives takes it as it comes.
const WRITE_LIMIT: Duration = Duration::from_secs(10);
/// How long the end of a connection is waited for once the answer is here.
const CLOSE_LIMIT: Duration = Duration::from_secs(1);

/// Where a session's daemon is called: its socket's path.
pub(crate) type Address = PathBuf;
/// What comes from a client.
pub(crate) type Reading = OwnedReadHalf;
/// What goes to a client.
pub(crate) type Writing = OwnedWriteHalf;

/// The address of a session's daemon; why the system can't hold it.
pub(crate) fn address(folder: &Path, name: &str) -> Result<Address, String> {
    let path = socket_file(folder, name);
    let length = path.as_os_str().as_bytes().len();
    if length > SOCKET_PATH_MAX {
        return Err(format!(
            "the socket's path has {length} bytes and the system allows {SOCKET_PATH_MAX}: {}; choose a shorter folder or session name",
            path.display()
        ));
    }
    Ok(path)
}

fn socket_file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.sock"))
}

/// The file that an address leaves behind when its daemon is killed.
pub(crate) fn left_by(address: &Address) -> Option<&Path> {
    Some(address)
}

/// Whether a file is what an address left.
pub(crate) fn is_endpoint(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|facts| facts.file_type().is_socket())
}

/// Where clients connect.
pub(crate) struct Listener {
    socket: UnixListener,
    path: PathBuf,
}

impl Listener {
    /// Listens. The caller holds the record, so what lies there already is a dead daemon's.
    pub(crate) fn bind(address: &Address) -> io::Result<Self> {
        let _ = fs::remove_file(address);
        let socket = UnixListener::bind(address)?;
        fs::set_permissions(address, Permissions::from_mode(0o600))?;
        Ok(Self { socket, path: address.clone() })
    }

    /// The next client; none when it was another user's, who gets no word.
    pub(crate) async fn accept(&mut self) -> io::Result<Option<(Reading, Writing)>> {
        let (stream, _) = self.socket.accept().await?;
        Ok(matches!(stranger(&stream), Ok(None)).then(|| stream.into_split()))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Waits until a client that writes no more is gone altogether (`… | nc -N -U SOCKET` still reads).
pub(crate) async fn gone(reading: &Reading) {
    // The kernel tells of a closed connection only together with readiness, which a connection that can be written to
    // has all the time: hence the nap. A client that ends altogether is seen at the first look.
    while !reading.ready(Interest::WRITABLE).await.is_ok_and(|ready| ready.is_write_closed()) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A client's connection.
pub(crate) struct Caller(UnixStream);

/// Connects to a daemon.
pub(crate) fn connect(address: &Address) -> Result<Caller, Unconnected> {
    let stream = match UnixStream::connect(address) {
        Ok(stream) => stream,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {
            return Err(Unconnected::Nobody);
        }
        Err(e) => return Err(e.into()),
    };
    match stranger(&stream)? {
        None => Ok(Caller(stream)),
        Some(user) => Err(Unconnected::Stranger(format!("user {user}"))),
    }
}

impl Caller {
    /// Sends one line and reads one; none when the connection ended without it.
    pub(crate) fn exchange(
        mut self,
        line: &[u8],
        limit: Duration,
        replies: &Replies,
        watch: Watch<'_>,
    ) -> io::Result<Option<Vec<u8>>> {
        let mut wait = Wait::new(limit, watch);
        self.0.set_read_timeout(Some(wait.pace()))?;
        self.0.set_write_timeout(Some(limit.min(WRITE_LIMIT)))?;
        let answer = ask(&mut self.0, line, replies, || wait.step())?;
        // A daemon that goes on hangs up at once; one that ends with this answer does so when it is gone, and then nothing
        // is left of the session when this returns.
        let _ = self.0.shutdown(Shutdown::Write);
        let _ = self.0.set_read_timeout(Some(CLOSE_LIMIT));
        let mut chunk = [0; 1024];
        while self.0.read(&mut chunk).is_ok_and(|n| n > 0) {}
        Ok(answer)
    }
}

/// The effective user at the other end.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn user(stream: &impl AsFd) -> io::Result<u32> {
    use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
    Ok(getsockopt(stream, PeerCredentials)?.uid())
}

/// The effective user at the other end.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn user(stream: &impl AsFd) -> io::Result<u32> {
    Ok(nix::unistd::getpeereid(stream)?.0.as_raw())
}

/// The other end's user where it isn't this process's own. Checked both ways: a daemon serves its own user alone, and a client
/// doesn't hand its input to a socket that someone else put in place.
fn stranger(stream: &impl AsFd) -> io::Result<Option<u32>> {
    let other = user(stream)?;
    Ok((other != geteuid().as_raw()).then_some(other))
}

/// Makes the folder if it isn't there, and refuses one that others own, see into or could have swapped.
pub(crate) fn private_folder(folder: &Path) -> Result<(), Unfit> {
    let facts = match fs::symlink_metadata(folder) {
        Ok(facts) => facts,
        Err(e) if e.kind() == ErrorKind::NotFound => {
            DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(Unfit::Unmade)?;
            fs::symlink_metadata(folder).map_err(Unfit::because)?
        }
        Err(e) => return Err(Unfit::because(e)),
    };
    if facts.file_type().is_symlink() {
        return Err(Unfit::because("it is a symbolic link, and someone else may decide where it leads"));
    }
    if !facts.is_dir() {
        return Err(Unfit::because("it is not a folder"));
    }
    let me = geteuid().as_raw();
    if facts.uid() != me {
        let why = format!("it belongs to user {}, and you are user {me}", facts.uid());
        return Err(Unfit::Open { why, hint: Some("HANDEYE_RUNTIME_DIR=FOLDER handeye …".to_owned()) });
    }
    if facts.mode() & 0o077 != 0 {
        let why =
            format!("its permissions are {:04o}, so others can reach into it; 0700 is needed", facts.mode() & 0o7777);
        return Err(Unfit::Open { why, hint: Some(format!("chmod 700 {}", folder.display())) });
    }
    Ok(())
}

/// Whether files can be made in a folder: why not.
pub(crate) fn check_writable(folder: &Path) -> Result<(), Unfit> {
    access(folder, AccessFlags::W_OK | AccessFlags::X_OK).map_err(|e| Unfit::Open {
        why: format!("it can't be written to ({})", e.desc()),
        hint: Some(format!("chmod 700 {}", folder.display())),
    })
}

/// Why a file that was found, not named, may be somebody else's; none when it is the user's own, or the system's.
pub(crate) fn distrust(path: &Path) -> io::Result<Option<String>> {
    let facts = fs::metadata(path)?;
    if facts.uid() != geteuid().as_raw() && facts.uid() != 0 {
        return Ok(Some(format!("it belongs to user {}", facts.uid())));
    }
    Ok((facts.mode() & 0o002 != 0).then(|| "everyone may write to it".to_owned()))
}

/// A file of the user's own, made anew.
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

/// What is locked while a daemon is started or remains are cleared away: the folder itself, which the system gives back
/// whatever becomes of the client.
pub(crate) fn lockable(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// What a record says, and whether a daemon holds it; none without one.
pub(crate) fn look_at(path: &Path) -> io::Result<Option<(Vec<u8>, bool)>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(e),
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    match file.try_lock_shared() {
        Ok(()) => Ok(Some((bytes, false))),
        Err(TryLockError::WouldBlock) => Ok(Some((bytes, true))),
        Err(TryLockError::Error(e)) => Err(e),
    }
}

/// Holds a record by `deadline`, made if need be, until the file is dropped; none when someone else keeps it.
pub(crate) fn hold(path: &Path, deadline: Instant) -> io::Result<Option<File>> {
    loop {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
        if !crate::transport::lock::locked_by(&file, deadline)? {
            return Ok(None);
        }
        // The daemon that we waited for removed its record: what we locked is no longer what others find.
        let same = fs::metadata(path)
            .is_ok_and(|now| file.metadata().is_ok_and(|ours| (ours.dev(), ours.ino()) == (now.dev(), now.ino())));
        if same {
            return Ok(Some(file));
        }
    }
}

/// Starts a process that is to outlive this one. It leaves the terminal by itself.
pub(crate) fn on_its_own(_: &mut Command) {}

/// Ends a process, at once or by asking.
pub(crate) fn end(pid: u32, at_once: bool) {
    if let Ok(pid) = i32::try_from(pid) {
        let _ = kill(Pid::from_raw(pid), if at_once { Signal::SIGKILL } else { Signal::SIGTERM });
    }
}

/// Leaves the starter's terminal, folder and files.
pub(crate) fn detach(_: &Path) -> io::Result<()> {
    // Fails where the process leads its group already, as it does when started from a shell by hand: it is detached then.
    let _ = nix::unistd::setsid();
    std::env::set_current_dir("/")?;
    // Pipes of whoever ran the client: kept open, they would make it wait for the daemon's end.
    let inherited: Vec<i32> = fs::read_dir("/dev/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|fd| *fd > 2)
        .collect();
    for fd in inherited {
        // The listing's own descriptor is among them, and closed by now.
        let _ = nix::unistd::close(fd);
    }
    Ok(())
}

/// Lets go of standard output, the starter's pipe.
pub(crate) fn drop_output() {
    if let Ok(null) = OpenOptions::new().write(true).open("/dev/null") {
        let _ = nix::unistd::dup2_stdout(&null);
    }
}

/// Lets go of the log, which is about to be removed: a file without a name is no trouble here.
pub(crate) fn drop_log() {}

/// Waits until whoever holds the other end of standard input is gone.
pub(crate) async fn starter_gone() {
    let Ok(pipe) = starter_pipe() else { return };
    let Ok(mut pipe) = pipe::Receiver::from_file(pipe) else { return };
    let mut ignored = [0; 64];
    while pipe.read(&mut ignored).await.is_ok_and(|n| n > 0) {}
}

fn starter_pipe() -> io::Result<File> {
    let pipe: OwnedFd = io::stdin().as_fd().try_clone_to_owned()?;
    if let Ok(null) = File::open("/dev/null") {
        let _ = nix::unistd::dup2_stdin(&null);
    }
    Ok(File::from(pipe))
}

/// Calls `stop` when the system asks the process to end.
pub fn when_asked_to_end(stop: impl Fn() + Clone + Send + 'static) -> io::Result<()> {
    for kind in [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()] {
        let mut signals = signal(kind)?;
        let stop = stop.clone();
        tokio::spawn(async move {
            if signals.recv().await.is_some() {
                stop();
            }
        });
    }
    Ok(())
}
