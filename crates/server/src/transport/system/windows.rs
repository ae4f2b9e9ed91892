//! Windows: a named pipe that its owner alone may open; a folder and files whose access lists close them to others; a record
//! that nobody else may write to while its daemon lives.
//!
//! What stands in `unsafe` here is the system's own calls, which are declared so, every one.

#![allow(unsafe_code)]

use super::exchange::{Replies, Wait, Watch, ask};
use super::refusal::{Unconnected, Unfit};
use ::windows::Win32::Foundation::{
    CloseHandle, ERROR_ACCESS_DENIED, ERROR_PIPE_BUSY, ERROR_SHARING_VIOLATION, HANDLE, HANDLE_FLAG_INHERIT,
    HANDLE_FLAGS, HLOCAL, LocalFree, SetHandleInformation,
};
use ::windows::Win32::Security::Authorization::{
    ConvertSidToStringSidW, ConvertStringSecurityDescriptorToSecurityDescriptorW, GetNamedSecurityInfoW,
    GetSecurityInfo, SDDL_REVISION_1, SE_FILE_OBJECT, SE_KERNEL_OBJECT,
};
use ::windows::Win32::Security::{
    ACCESS_ALLOWED_ACE, ACE_HEADER, ACL, DACL_SECURITY_INFORMATION, GetAce, GetTokenInformation,
    OWNER_SECURITY_INFORMATION, PSECURITY_DESCRIPTOR, PSID, SECURITY_ATTRIBUTES, TOKEN_QUERY, TOKEN_USER, TokenUser,
};
use ::windows::Win32::Storage::FileSystem::{
    CreateDirectoryW, FILE_SHARE_DELETE, FILE_SHARE_READ, SECURITY_IDENTIFICATION,
};
use ::windows::Win32::System::Console::{
    GetStdHandle, STD_ERROR_HANDLE, STD_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle,
};
use ::windows::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, DETACHED_PROCESS, GetCurrentProcess, OpenProcess, OpenProcessToken, PROCESS_TERMINATE,
    TerminateProcess,
};
use ::windows::core::{PCWSTR, PWSTR};
use std::ffi::c_void;
use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, ErrorKind, Read};
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::{AsHandle, AsRawHandle};
use std::os::windows::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tokio::io::{ReadHalf, WriteHalf};
use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};

/// How long a daemon may take to offer its pipe again after another client took it.
const BUSY_LIMIT: Duration = Duration::from_secs(10);
/// Between two tries of what can't be waited for.
const NAP: Duration = Duration::from_millis(10);
/// The kind of an entry of an access list that allows something.
const ALLOWS: u8 = 0;
/// Accounts that may reach everything anyway: the system, its administrators, whoever owns or makes a thing.
const TRUSTED: [&str; 4] = ["S-1-5-18", "S-1-5-32-544", "S-1-3-0", "S-1-3-4"];
/// The rights to write to a file, to change who may, and to take it over.
const WRITES: u32 = 0x0000_0002 | 0x0000_0004 | 0x0004_0000 | 0x0008_0000 | 0x1000_0000 | 0x4000_0000;

/// Where a session's daemon is called: its pipe's name.
pub(crate) type Address = String;
/// What comes from a client.
pub(crate) type Reading = ReadHalf<NamedPipeServer>;
/// What goes to a client.
pub(crate) type Writing = WriteHalf<NamedPipeServer>;

/// The address of a session's daemon. Pipes have names for the whole machine, so the folder is part of it.
pub(crate) fn address(folder: &Path, name: &str) -> Result<Address, String> {
    let mut hash = DefaultHasher::new();
    // Names of files don't differ by case here.
    folder.to_string_lossy().to_lowercase().replace('/', "\\").trim_end_matches('\\').hash(&mut hash);
    Ok(format!(r"\\.\pipe\handeye-{:016x}-{name}", hash.finish()))
}

/// A pipe ends with its daemon: it leaves nothing.
pub(crate) fn left_by(_: &Address) -> Option<&Path> {
    None
}

/// No file is ever one.
pub(crate) fn is_endpoint(_: &Path) -> bool {
    false
}

/// Where clients connect.
pub(crate) struct Listener {
    address: Address,
    security: Security,
    /// The instance that the next client gets.
    next: NamedPipeServer,
}

impl Listener {
    /// Listens; refused where someone else made a pipe of that name.
    pub(crate) fn bind(address: &Address) -> io::Result<Self> {
        let security = Security::own("")?;
        let next = security.pipe(address, true)?;
        Ok(Self { address: address.clone(), security, next })
    }

    /// The next client: none but the same user's can connect.
    pub(crate) async fn accept(&mut self) -> io::Result<Option<(Reading, Writing)>> {
        if let Err(e) = self.next.connect().await {
            // One whose client went away at once is of no use to another.
            self.next = self.security.pipe(&self.address, false)?;
            return Err(e);
        }
        let next = self.security.pipe(&self.address, false)?;
        Ok(Some(tokio::io::split(std::mem::replace(&mut self.next, next))))
    }
}

/// A client can't stop writing and go on reading here: one whose end was read is gone.
pub(crate) async fn gone(_: &Reading) {}

/// A client's connection.
pub(crate) struct Caller(File);

/// Connects to a daemon.
pub(crate) fn connect(address: &Address) -> Result<Caller, Unconnected> {
    let deadline = Instant::now() + BUSY_LIMIT;
    let file = loop {
        // A server may ask who we are, and not act as we could.
        let opened =
            OpenOptions::new().read(true).write(true).security_qos_flags(SECURITY_IDENTIFICATION.0).open(address);
        match opened {
            Ok(file) => break file,
            Err(e) if e.kind() == ErrorKind::NotFound => return Err(Unconnected::Nobody),
            Err(e) if is(&e, ERROR_PIPE_BUSY.0) && Instant::now() < deadline => std::thread::sleep(NAP),
            Err(e) => return Err(e.into()),
        }
    };
    let (owner, me) = (owner_of_pipe(&file)?, me()?);
    if owner == me { Ok(Caller(file)) } else { Err(Unconnected::Stranger(format!("account {owner}"))) }
}

impl Caller {
    /// Sends one line and reads one; none when the connection ended without it. A call that was cancelled is waited for
    /// no more, but its connection lasts as long as this process.
    pub(crate) fn exchange(
        mut self,
        line: &[u8],
        limit: Duration,
        replies: &Replies,
        watch: Watch<'_>,
    ) -> io::Result<Option<Vec<u8>>> {
        // What waits on a pipe of this kind waits without a limit, so a thread does.
        let (line, replies) = (line.to_vec(), replies.clone());
        let (told, tells) = mpsc::channel();
        std::thread::Builder::new().name("call".into()).spawn(move || {
            // Nobody waits for it once the limit has passed.
            let _ = told.send(ask(&mut self.0, &line, &replies, || Ok(())));
        })?;
        let mut wait = Wait::new(limit, watch);
        loop {
            match tells.recv_timeout(wait.pace()) {
                Ok(answer) => return answer,
                Err(mpsc::RecvTimeoutError::Timeout) => wait.step()?,
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::new(ErrorKind::BrokenPipe, "the call ended without an answer"));
                }
            }
        }
    }
}

/// Makes the folder if it isn't there, and refuses one that others own, reach into or could have swapped.
pub(crate) fn private_folder(folder: &Path) -> Result<(), Unfit> {
    if let Err(e) = fs::symlink_metadata(folder) {
        if e.kind() != ErrorKind::NotFound {
            return Err(Unfit::because(e));
        }
        if let Some(above) = folder.parent() {
            fs::create_dir_all(above).map_err(Unfit::Unmade)?;
        }
        // What is made in it is closed in the same way.
        Security::own("OICI").and_then(|security| security.folder(folder)).map_err(Unfit::Unmade)?;
    }
    let facts = fs::symlink_metadata(folder).map_err(Unfit::because)?;
    if facts.file_type().is_symlink() {
        return Err(Unfit::because("it is a link, and someone else may decide where it leads"));
    }
    if !facts.is_dir() {
        return Err(Unfit::because("it is not a folder"));
    }
    match others(folder, u32::MAX).map_err(Unfit::because)? {
        None => Ok(()),
        Some(why) => Err(Unfit::Open { why, hint: Some("set HANDEYE_RUNTIME_DIR to a folder of your own".to_owned()) }),
    }
}

/// Whether files can be made in a folder: why not.
pub(crate) fn check_writable(folder: &Path) -> Result<(), Unfit> {
    lockable(folder).map(drop).map_err(|e| Unfit::because(format!("it can't be written to ({e})")))
}

/// Why a file that was found, not named, may be somebody else's; none when it is the user's own, or the system's.
pub(crate) fn distrust(path: &Path) -> io::Result<Option<String>> {
    others(path, WRITES)
}

/// A file of the user's own, made anew: it takes after its folder.
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).open(path)
}

/// What is locked while a daemon is started or remains are cleared away.
pub(crate) fn lockable(folder: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(folder.join(".lock"))
}

/// What a record says, and whether a daemon holds it; none without one.
pub(crate) fn look_at(path: &Path) -> io::Result<Option<(Vec<u8>, bool)>> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|mut file| file.read_to_end(&mut bytes));
    match read.and_then(|_| OpenOptions::new().write(true).open(path)) {
        Ok(_) => Ok(Some((bytes, false))),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        // Held; or removed by a daemon that hasn't let go of it yet.
        Err(e) if is_held(&e) => Ok(Some((bytes, true))),
        Err(e) => Err(e),
    }
}

/// Holds a record by `deadline`, made if need be, until the file is dropped; none when someone else keeps it.
pub(crate) fn hold(path: &Path, deadline: Instant) -> io::Result<Option<File>> {
    loop {
        // Others may read it and remove it, and not write to it.
        let share = (FILE_SHARE_READ | FILE_SHARE_DELETE).0;
        match OpenOptions::new().read(true).write(true).create(true).truncate(false).share_mode(share).open(path) {
            Ok(file) => return Ok(Some(file)),
            Err(e) if is_held(&e) && Instant::now() < deadline => std::thread::sleep(NAP),
            Err(e) if is(&e, ERROR_SHARING_VIOLATION.0) => return Ok(None),
            Err(e) => return Err(e),
        }
    }
}

fn is_held(error: &io::Error) -> bool {
    is(error, ERROR_SHARING_VIOLATION.0) || is(error, ERROR_ACCESS_DENIED.0)
}

fn is(error: &io::Error, number: u32) -> bool {
    error.raw_os_error().map(|n| n as u32) == Some(number)
}

/// Starts a process that is to outlive this one: no console of ours, no group of ours, none of our pipes.
pub(crate) fn on_its_own(command: &mut Command) {
    command.creation_flags(DETACHED_PROCESS.0 | CREATE_NEW_PROCESS_GROUP.0);
    // Pipes of whoever ran us: inherited, they would make it wait for the daemon's end.
    for which in [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE] {
        // SAFETY: a handle of this process, or none, which the call refuses.
        let _ = unsafe {
            GetStdHandle(which).and_then(|h| SetHandleInformation(h, HANDLE_FLAG_INHERIT.0, HANDLE_FLAGS(0)))
        };
    }
}

/// Ends a process. Nothing can be asked of one without a window or a console, so that does nothing.
pub(crate) fn end(pid: u32, at_once: bool) {
    if !at_once {
        return;
    }
    // SAFETY: the handle is ours, and closed once.
    unsafe {
        if let Ok(process) = OpenProcess(PROCESS_TERMINATE, false, pid) {
            let _ = TerminateProcess(process, 1);
            let _ = CloseHandle(process);
        }
    }
}

/// Leaves the starter's folder, which couldn't be removed otherwise.
pub(crate) fn detach(place: &Path) -> io::Result<()> {
    std::env::set_current_dir(place.ancestors().last().unwrap_or(place))
}

/// Lets go of standard output, the starter's pipe.
pub(crate) fn drop_output() {
    drop_standard(STD_OUTPUT_HANDLE);
}

/// Lets go of the log, which is about to be removed: its name would stay taken.
pub(crate) fn drop_log() {
    drop_standard(STD_ERROR_HANDLE);
}

fn drop_standard(which: STD_HANDLE) {
    // SAFETY: whoever reads or writes there asks for the handle each time, and finds none from now on.
    unsafe {
        if let Ok(handle) = GetStdHandle(which)
            && !handle.is_invalid()
            && SetStdHandle(which, HANDLE::default()).is_ok()
        {
            let _ = CloseHandle(handle);
        }
    }
}

/// Waits until whoever holds the other end of standard input is gone.
pub(crate) async fn starter_gone() {
    let Ok(pipe) = io::stdin().as_handle().try_clone_to_owned() else { return };
    drop_standard(STD_INPUT_HANDLE);
    let (told, tells) = tokio::sync::oneshot::channel::<()>();
    let waits = move || {
        let mut pipe = File::from(pipe);
        let mut ignored = [0; 64];
        while pipe.read(&mut ignored).is_ok_and(|n| n > 0) {}
        drop(told);
    };
    // Without a thread for it, the starter counts as gone.
    if std::thread::Builder::new().name("starter".into()).spawn(waits).is_ok() {
        let _ = tells.await;
    }
}

/// Calls `stop` when the system asks the process to end. Without a console it is asked by nobody but the system's own end.
pub fn when_asked_to_end(stop: impl Fn() + Clone + Send + 'static) -> io::Result<()> {
    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};
    let (mut c, mut pause, mut close, mut shutdown) = (ctrl_c()?, ctrl_break()?, ctrl_close()?, ctrl_shutdown()?);
    tokio::spawn(async move {
        tokio::select! {
            _ = c.recv() => {}
            _ = pause.recv() => {}
            _ = close.recv() => {}
            _ = shutdown.recv() => {}
        }
        stop();
    });
    Ok(())
}

/// A security descriptor, freed with its owner.
struct Security(PSECURITY_DESCRIPTOR);

// SAFETY: it is memory of the process, changed by nobody.
unsafe impl Send for Security {}
// SAFETY: the same.
unsafe impl Sync for Security {}

impl Drop for Security {
    fn drop(&mut self) {
        // SAFETY: the system gave it to be freed so, once.
        unsafe { LocalFree(Some(HLOCAL(self.0.0))) };
    }
}

impl Security {
    /// One that lets this user alone do anything, and says so to what is made inside, as `inherited` has it.
    fn own(inherited: &str) -> io::Result<Self> {
        let me = me()?;
        let text = wide(format!("O:{me}D:P(A;{inherited};GA;;;{me})").as_ref());
        let mut made = PSECURITY_DESCRIPTOR::default();
        // SAFETY: the text ends with a zero and outlives the call.
        unsafe {
            let text = PCWSTR(text.as_ptr());
            ConvertStringSecurityDescriptorToSecurityDescriptorW(text, SDDL_REVISION_1, &mut made, None)
        }?;
        Ok(Self(made))
    }

    fn attributes(&self) -> SECURITY_ATTRIBUTES {
        SECURITY_ATTRIBUTES {
            nLength: size_of::<SECURITY_ATTRIBUTES>() as u32,
            lpSecurityDescriptor: self.0.0,
            bInheritHandle: false.into(),
        }
    }

    /// A pipe's instance; the first one is refused where the name is taken.
    fn pipe(&self, address: &str, first: bool) -> io::Result<NamedPipeServer> {
        let mut attributes = self.attributes();
        let mut options = ServerOptions::new();
        options.first_pipe_instance(first).reject_remote_clients(true);
        // SAFETY: the attributes are whole, and outlive the call.
        unsafe {
            options.create_with_security_attributes_raw(address, std::ptr::from_mut(&mut attributes).cast::<c_void>())
        }
    }

    fn folder(&self, path: &Path) -> io::Result<()> {
        let name = wide(path.as_os_str());
        let attributes = self.attributes();
        // SAFETY: the name ends with a zero; it and the attributes outlive the call.
        Ok(unsafe { CreateDirectoryW(PCWSTR(name.as_ptr()), Some(&attributes)) }?)
    }
}

/// This process's user, as the system writes accounts.
fn me() -> io::Result<String> {
    // SAFETY: the buffer is as long as the call is told, and aligned for what it holds; the handle is closed once.
    unsafe {
        let mut token = HANDLE::default();
        OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &mut token)?;
        let mut buffer = [0u64; 32];
        let mut length = 0;
        let told = GetTokenInformation(
            token,
            TokenUser,
            Some(buffer.as_mut_ptr().cast()),
            size_of_val(&buffer) as u32,
            &mut length,
        );
        let _ = CloseHandle(token);
        told?;
        account((*buffer.as_ptr().cast::<TOKEN_USER>()).User.Sid)
    }
}

/// # Safety
/// `sid` points to a whole one.
unsafe fn account(sid: PSID) -> io::Result<String> {
    let mut text = PWSTR::null();
    // SAFETY: the caller says that it is one; the text is freed once, after it was read.
    unsafe {
        ConvertSidToStringSidW(sid, &mut text)?;
        let read = text.to_string();
        LocalFree(Some(HLOCAL(text.0.cast())));
        read.map_err(|e| io::Error::new(ErrorKind::InvalidData, e))
    }
}

/// Who made a pipe.
fn owner_of_pipe(pipe: &File) -> io::Result<String> {
    let (mut owner, mut held) = (PSID::default(), Security(PSECURITY_DESCRIPTOR::default()));
    // SAFETY: the handle is open; the owner lies in what is held until it was read.
    unsafe {
        GetSecurityInfo(
            HANDLE(pipe.as_raw_handle()),
            SE_KERNEL_OBJECT,
            OWNER_SECURITY_INFORMATION,
            Some(&mut owner),
            None,
            None,
            None,
            Some(&mut held.0),
        )
        .ok()?;
        account(owner)
    }
}

/// Who else than the user and the system owns a file or has one of these rights to it, in words.
fn others(path: &Path, rights: u32) -> io::Result<Option<String>> {
    let me = me()?;
    let trusted = |account: &str| account == me || TRUSTED.contains(&account);
    let name = wide(path.as_os_str());
    let (mut owner, mut list) = (PSID::default(), std::ptr::null_mut::<ACL>());
    let mut held = Security(PSECURITY_DESCRIPTOR::default());
    // SAFETY: the name ends with a zero; owner and list lie in what is held until they were read.
    unsafe {
        GetNamedSecurityInfoW(
            PCWSTR(name.as_ptr()),
            SE_FILE_OBJECT,
            OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
            Some(&mut owner),
            None,
            Some(&mut list),
            None,
            &mut held.0,
        )
        .ok()?;
        let owner = account(owner)?;
        if !trusted(&owner) {
            return Ok(Some(format!("it belongs to the account {owner}, and you are {me}")));
        }
        let Some(count) = list.as_ref().map(|list| list.AceCount) else {
            return Ok(Some("it has no access list, so everyone can reach into it".to_owned()));
        };
        for index in 0..u32::from(count) {
            let mut entry = std::ptr::null_mut();
            GetAce(list, index, &mut entry)?;
            if (*entry.cast::<ACE_HEADER>()).AceType != ALLOWS {
                continue;
            }
            let allowed = entry.cast::<ACCESS_ALLOWED_ACE>();
            let account = account(PSID(std::ptr::addr_of_mut!((*allowed).SidStart).cast()))?;
            if (*allowed).Mask & rights != 0 && !trusted(&account) {
                return Ok(Some(format!("the account {account} can reach into it")));
            }
        }
    }
    Ok(None)
}

fn wide(text: &std::ffi::OsStr) -> Vec<u16> {
    text.encode_wide().chain(std::iter::once(0)).collect()
}
