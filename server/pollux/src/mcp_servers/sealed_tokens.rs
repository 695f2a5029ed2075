//! Tokens of MCP servers in the twin's encrypted file, for where there is no keychain.
//!
//! The key comes from the names of machine and user, so this keeps tokens out of backups and of other machines. It does
//! not keep them from programs of the same user.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

use aes_gcm::aead::consts::{U12, U16};
use aes_gcm::aead::generic_array::{ArrayLength, GenericArray};
use aes_gcm::aead::rand_core::RngCore;
use aes_gcm::aead::{Aead, KeyInit, OsRng};
use aes_gcm::aes::Aes256;
use aes_gcm::{Aes256Gcm, AesGcm};
use pollux_mcp::connect::{Credentials, Vault};
use pollux_settings::{
    Durability, Environment, Locations, Patience, create_private_folder, is_foreign, lock_file,
    replace_file,
};
use serde_json::{Map, Value, json};

/// The twin's name for what it has signed in with, here and in a keychain.
pub(super) const SERVICE: &str = "gemini-cli-oauth";
const TAG_LENGTH: usize = 16;

pub(super) struct SealedTokens {
    folder: PathBuf,
    path: PathBuf,
    salt: String,
    /// Takes long to make, which is its purpose.
    key: OnceLock<[u8; 32]>,
}

impl SealedTokens {
    pub(super) fn of(environment: &Environment, locations: &Locations) -> Self {
        let host = hostname::get().unwrap_or_default();
        let user = environment.get("USER").or(environment.get("LOGNAME"));
        let user = user.unwrap_or_default();
        Self {
            folder: locations.gemini_dir.clone(),
            path: locations.gemini_dir.join("gemini-credentials.json"),
            salt: format!("{}-{user}-gemini-cli", host.to_string_lossy()),
            key: OnceLock::new(),
        }
    }

    fn key(&self) -> Result<[u8; 32], String> {
        if let Some(key) = self.key.get() {
            return Ok(*key);
        }
        // The costs that Node.js has by default: 2^14, 8, 1.
        let costs = scrypt::Params::new(14, 8, 1, 32).map_err(|error| error.to_string())?;
        let mut key = [0; 32];
        scrypt::scrypt(SERVICE.as_bytes(), self.salt.as_bytes(), &costs, &mut key)
            .map_err(|error| error.to_string())?;
        Ok(*self.key.get_or_init(|| key))
    }

    fn read(&self) -> Result<Map<String, Value>, String> {
        let path = self.path.display();
        if is_foreign(&self.path) {
            return Err(format!(
                "{path} is not used: it or its folder belongs to another user"
            ));
        }
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Map::new()),
            Err(error) => return Err(format!("{path} cannot be read: {error}")),
        };
        let opened = opened(&self.key()?, text.trim());
        let opened = opened.and_then(|plain| serde_json::from_slice(&plain).ok());
        opened.ok_or_else(|| format!("{path} cannot be decrypted"))
    }

    /// Does something to the secrets of our service, while nobody else writes.
    fn change(&self, change: impl FnOnce(&mut Map<String, Value>)) -> Result<(), String> {
        let failed = |error: &dyn std::fmt::Display| {
            format!("{} cannot be changed: {error}", self.path.display())
        };
        create_private_folder(&self.folder).map_err(|error| failed(&error))?;
        let lock = lock_file(&self.path, Patience::USUAL).map_err(|error| failed(&error))?;
        let _lock = lock.ok_or_else(|| failed(&"another program is writing it"))?;
        let mut all = self.read()?;
        let ours = all.entry(SERVICE).or_insert_with(|| json!({}));
        if let Some(ours) = ours.as_object_mut() {
            change(ours);
        }
        let plain = Value::Object(all).to_string();
        let text = sealed(&self.key()?, plain.as_bytes());
        let text = text.ok_or_else(|| failed(&"it cannot be encrypted"))?;
        replace_file(&self.path, text.as_bytes(), Durability::PowerCut)
            .map_err(|error| failed(&error))
    }
}

/// The name of a server, as far as a keychain takes it.
pub(super) fn account(server: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let letters = server.chars();
    letters
        .map(|letter| if plain(letter) { letter } else { '_' })
        .collect()
}

impl Vault for SealedTokens {
    fn load(&self, server: &str) -> Result<Option<Credentials>, String> {
        let all = self.read()?;
        let secret = all.get(SERVICE).and_then(|ours| ours.get(account(server)));
        let Some(secret) = secret.and_then(Value::as_str) else {
            return Ok(None);
        };
        let credentials = serde_json::from_str(secret);
        let credentials =
            credentials.map_err(|_hides_secrets| format!("the entry of {server} is none"));
        credentials.map(Some)
    }

    fn save(&self, credentials: &Credentials) -> Result<(), String> {
        let secret = json!(credentials).to_string();
        self.change(|ours| {
            ours.insert(account(&credentials.server_name), Value::from(secret));
        })
    }

    fn delete(&self, server: &str) -> Result<(), String> {
        self.change(|ours| {
            ours.shift_remove(&account(server));
        })
    }
}

/// `iv:tag:text`, each in hexadecimal.
fn sealed(key: &[u8; 32], plain: &[u8]) -> Option<String> {
    let mut iv = [0; 12];
    OsRng.fill_bytes(&mut iv);
    let cipher = Aes256Gcm::new(GenericArray::from_slice(key));
    let sealed = cipher.encrypt(GenericArray::from_slice(&iv), plain).ok()?;
    let (text, tag) = sealed.split_at_checked(sealed.len().checked_sub(TAG_LENGTH)?)?;
    Some([hex(&iv), hex(tag), hex(text)].join(":"))
}

/// The twin's older files have longer beginnings.
fn opened(key: &[u8; 32], text: &str) -> Option<Vec<u8>> {
    let mut parts = text.split(':').map(unhex);
    let (iv, tag, body) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() || tag.len() != TAG_LENGTH {
        return None;
    }
    let body = [body, tag].concat();
    match iv.len() {
        12 => decrypt::<U12>(key, &iv, &body),
        16 => decrypt::<U16>(key, &iv, &body),
        _ => None,
    }
}

fn decrypt<N: ArrayLength<u8>>(key: &[u8; 32], iv: &[u8], body: &[u8]) -> Option<Vec<u8>> {
    let cipher = AesGcm::<Aes256, N>::new(GenericArray::from_slice(key));
    cipher.decrypt(GenericArray::from_slice(iv), body).ok()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a string cannot fail.
        let _always_fits = write!(text, "{byte:02x}");
        text
    })
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let (pairs, []) = digits.as_deref()?.as_chunks::<2>() else {
        return None;
    };
    let bytes = pairs
        .iter()
        .map(|[high, low]| u8::try_from(high * 16 + low));
    bytes.collect::<Result<_, _>>().ok()
}
