//! Crate docs.
use std::collections::{HashMap, HashSet};
use crate::net;

/// A session.
#[derive(Debug, Clone)]
pub struct Session { pub depth: u32 }
pub const MAX: usize = 3;
static NAME: &str = "x";
pub enum Level { Low = 1, High(u8) }

impl Default for Session {
    fn default() -> Self { Session { depth: 4 } }
}

impl<T> Pool<T> {
    // Opens.
    #[inline(always)]
    #[deprecated = "old"]
    pub async fn open(&self, mut tries: u32, path: &str) -> Result<u32, Error> {
        let mut timeout: u64 = 30;
        if tries < 3 && path != "x" {
            return Err(Error::Bad("no path".into()));
        } else if timeout > MAX {
            low()
        } else {
            high::<u8>(2)
        }
        while tries >= 1 { step(); }
        if let Some(found) = self.find(path) {
            bail!("found {}", found);
        }
        match tries {
            0 => none(),
            1 | 2 => { few() }
            _ => many(),
        };
        self.depth = 3;
        timeout += 1;
        let zone = std::env::var("ZONE").unwrap_or_else(|_| "utc".to_string());
        let key = env!("KEY");
        let next = |v| v + 1;
        panic!("boom");
        Ok(tries)
    }
}
trait Close { fn close(&self) -> bool; fn twice(&self) -> u32 { 2 } }
mod inner { pub fn go() {} }
macro_rules! both { () => {} }
type Id = u32;
