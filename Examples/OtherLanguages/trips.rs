//! Prints the trips of a store: a program in Rust with libquire, without a crate.

use std::ffi::{c_char, c_void, CStr};
use std::{env, mem, ptr, slice, str};

/// A text of the interface. It borrows its bytes.
#[repr(C)]
#[derive(Clone, Copy)]
struct Text { start: *const u8, count: u64 }

impl From<&str> for Text {
    fn from(text: &str) -> Text { Text { start: text.as_ptr(), count: text.len() as u64 } }
}

const NONE: Text = Text { start: ptr::null(), count: 0 };

#[repr(C)]
struct Error {
    code: i32,
    message: *const c_char,
    hint: *const c_char,
    release: Option<unsafe extern "C" fn(*mut Error)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct Request {
    struct_size: u32, without_subentities: i32,
    entity: Text, predicate: Text, arguments: Text, sort: Text, columns: Text, groups: Text, having: Text,
    limit: i64, offset: i64,
    identifiers: *const u64, identifier_count: u64,
    owner: u64, relationship: Text, distinct: i32,
}

#[repr(C)]
struct Array {
    length: i64, null_count: i64, offset: i64, n_buffers: i64, n_children: i64,
    buffers: *const *const c_void, children: *const *const Array, dictionary: *const Array,
    release: Option<unsafe extern "C" fn(*mut Array)>, private_data: *mut c_void,
}

#[repr(C)]
struct Stream {
    get_schema: *const c_void,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> i32>,
    get_last_error: *const c_void,
    release: Option<unsafe extern "C" fn(*mut Stream)>, private_data: *mut c_void,
}

extern "C" {
    fn quire_open(path: Text, opening: *const c_void, to: *mut *mut c_void, error: *mut Error) -> i32;
    fn quire_fetch(at: *mut c_void, request: *const Request, stream: *mut Stream, error: *mut Error) -> i32;
    fn quire_close(at: *mut c_void, error: *mut Error) -> i32;
}

fn main() {
    let path = env::args().nth(1).expect("a path");
    // SAFETY: The structures have the layouts of quire.h and of Arrow's C interfaces, and each result is released once.
    unsafe {
        let mut error: Error = mem::zeroed();
        let check = |code: i32, error: &mut Error| {
            if code != 0 { panic!("{}", CStr::from_ptr(error.message).to_string_lossy()) }
        };
        let mut trips = ptr::null_mut();
        let code = quire_open(Text::from(&path[..]), ptr::null(), &mut trips, &mut error);
        check(code, &mut error);
        let mut request: Request = mem::zeroed();
        request.struct_size = mem::size_of::<Request>() as u32;
        request.entity = Text::from("Trip");
        request.sort = Text::from("name");
        request.columns = Text::from("[\"name\"]");
        request.predicate = NONE;
        let mut stream: Stream = mem::zeroed();
        let code = quire_fetch(trips, &request, &mut stream, &mut error);
        check(code, &mut error);
        loop {
            let mut batch: Array = mem::zeroed();
            stream.get_next.unwrap()(&mut stream, &mut batch);
            let Some(release) = batch.release else { break };
            let names = &**batch.children;
            let buffers = slice::from_raw_parts(names.buffers, 3);
            let ends = slice::from_raw_parts(buffers[1] as *const i64, names.length as usize + 1);
            for row in ends.windows(2) {
                let start = (buffers[2] as *const u8).add(row[0] as usize);
                println!("{}", str::from_utf8(slice::from_raw_parts(start, (row[1] - row[0]) as usize)).unwrap());
            }
            release(&mut batch);
        }
        stream.release.unwrap()(&mut stream);
        let code = quire_close(trips, &mut error);
        check(code, &mut error);
    }
}
