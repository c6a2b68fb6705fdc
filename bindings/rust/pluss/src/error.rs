// SPDX-License-Identifier: GPL-3.0-or-later
//! What can go wrong, and where.

use std::fmt;

use pluss_sys as sys;

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

macro_rules! status {
    ($($(#[$doc:meta])* $name:ident = $c:ident;)*) => {
        /// The kind of a failure.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[non_exhaustive]
        pub enum Status {
            $($(#[$doc])* $name,)*
            /// One that this version of the crate does not know.
            Other(u32),
        }

        impl Status {
            pub(crate) fn from_raw(raw: sys::pluss_status) -> Self {
                match raw {
                    $(sys::$c => Self::$name,)*
                    other => Self::Other(other),
                }
            }

            /// "ENOMEM", as machines read it.
            pub fn name(self) -> &'static str {
                // SAFETY: pluss_status_name takes any number and gives a static string.
                unsafe { crate::context::text(sys::pluss_status_name(self.to_raw())) }
            }

            fn to_raw(self) -> sys::pluss_status {
                match self {
                    $(Self::$name => sys::$c,)*
                    Self::Other(other) => other,
                }
            }
        }
    };
}

status! {
    /// Out of memory.
    NoMemory = PLUSS_ENOMEM;
    /// An argument of the call.
    InvalidArgument = PLUSS_EINVAL;
    /// A number is out of range.
    OutOfRange = PLUSS_ERANGE;
    /// The text is not a nest description.
    Parse = PLUSS_EPARSE;
    /// The nest is not well formed.
    InvalidNest = PLUSS_EINVALID;
    /// A symbol has no value.
    Unbound = PLUSS_EUNBOUND;
    /// The engine cannot take a construct, or the library was built without what it takes.
    Unsupported = PLUSS_EUNSUPPORTED;
    /// A limit of the library is exceeded.
    Limit = PLUSS_ELIMIT;
    /// A file cannot be read or written.
    Io = PLUSS_EIO;
    /// A file is not in the expected format.
    Format = PLUSS_EFORMAT;
    /// There is no such thing.
    NotFound = PLUSS_ENOTFOUND;
    /// The progress callback said so.
    Cancelled = PLUSS_ECANCELLED;
    /// A fault of the library.
    Internal = PLUSS_EINTERNAL;
    /// With these values the nest makes no access: it has no curve.
    Empty = PLUSS_EEMPTY;
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: pluss_status_text takes any number and gives a static string.
        f.write_str(unsafe { crate::context::text(sys::pluss_status_text(self.to_raw())) })
    }
}

/// How grave a [`Diagnostic`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// The result stands, but not for what was meant.
    Warning,
    /// The reason of a failure.
    Error,
}

impl Severity {
    pub(crate) fn from_raw(raw: sys::pluss_severity) -> Self {
        match raw {
            sys::PLUSS_NOTE => Self::Note,
            sys::PLUSS_WARNING => Self::Warning,
            _ => Self::Error,
        }
    }
}

/// One message of the library, with its place where it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Diagnostic {
    /// How grave it is.
    pub severity: Severity,
    /// Its kind.
    pub status: Status,
    /// File of the place, `None` where there is none.
    pub file: Option<String>,
    /// Line from 1; 0: not known.
    pub line: u32,
    /// Column from 1; 0: not known.
    pub col: u32,
    /// One line of text.
    pub text: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:")?;
            if self.line > 0 {
                write!(f, "{}:", self.line)?;
            }
            if self.line > 0 && self.col > 0 {
                write!(f, "{}:", self.col)?;
            }
            f.write_str(" ")?;
        }
        f.write_str(&self.text)
    }
}

/// A failure: its kind, and everything that was said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Error {
    pub(crate) status: Status,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Error {
    pub(crate) fn new(status: Status, text: String) -> Self {
        let diagnostic =
            Diagnostic { severity: Severity::Error, status, file: None, line: 0, col: 0, text };
        Self { status, diagnostics: vec![diagnostic] }
    }

    /// The kind of the failure.
    pub fn status(&self) -> Status {
        self.status
    }

    /// All messages, in the order met.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

/// The messages, one a line; the kind alone where there are none.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.diagnostics.is_empty() {
            return self.status.fmt(f);
        }
        for (i, diagnostic) in self.diagnostics.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            diagnostic.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
