//! Where tokens are kept: the safest place that works, and those where they may still lie from before.

#[cfg(test)]
mod tests;

use pollux_mcp::connect::{Credentials, Vault};
use pollux_settings::{Environment, Locations};

use super::keychain_tokens::KeychainTokens;
use super::sealed_tokens::SealedTokens;
use super::tokens::TokenFile;

/// The safest first.
pub(super) struct Places(Vec<Box<dyn Vault>>);

impl Places {
    /// The keychain, else the twin's encrypted file, and its plain one where neither works. Whoever shares tokens with a
    /// twin that has only the plain one can say so.
    pub(super) fn of(environment: &Environment, locations: &Locations) -> Self {
        let plain = Box::new(TokenFile::of(locations));
        if environment.get("GEMINI_FORCE_ENCRYPTED_FILE_STORAGE") == Some("false") {
            return Self(vec![plain]);
        }
        let sealed = Box::new(SealedTokens::of(environment, locations));
        let keychain = KeychainTokens::open(environment);
        let keychain = keychain.map(|keychain| Box::new(keychain) as Box<dyn Vault>);
        let files: [Box<dyn Vault>; 2] = [sealed, plain];
        Self(keychain.into_iter().chain(files).collect())
    }

    /// Puts credentials into the first of the places that takes them, and takes them out of the others.
    fn put(&self, credentials: &Credentials) -> Result<(), String> {
        let mut problems = Vec::new();
        let mut places = self.0.iter();
        let kept = places.by_ref().find(|place| {
            let saved = place.save(credentials);
            saved.map_err(|problem| problems.push(problem)).is_ok()
        });
        if kept.is_none() {
            return Err(problems.join("; "));
        }
        for problem in &problems {
            tracing::debug!(problem, "a token goes elsewhere");
        }
        let server = &credentials.server_name;
        for place in places {
            // What is left behind is older, and so never taken for the newest.
            if let Err(problem) = taken_out(&**place, server) {
                tracing::warn!(server, problem, "an older token stays where it was");
            }
        }
        Ok(())
    }
}

/// Not every place that has nothing can be written to.
fn taken_out(place: &dyn Vault, server: &str) -> Result<(), String> {
    match place.load(server) {
        Ok(None) => Ok(()),
        Ok(Some(_)) => place.delete(server),
        Err(problem) => Err(problem),
    }
}

impl Vault for Places {
    /// The newest, which moves to the safest place that answers.
    fn load(&self, server: &str) -> Result<Option<Credentials>, String> {
        let mut newest: Option<(usize, Credentials)> = None;
        let mut first_that_answers = None;
        let mut problems = Vec::new();
        for (rank, place) in self.0.iter().enumerate() {
            match place.load(server) {
                Err(problem) => problems.push(problem),
                Ok(found) => {
                    first_that_answers.get_or_insert(rank);
                    let age = newest.as_ref().map(|(_, newest)| newest.updated_at);
                    if let Some(found) = found
                        && age.is_none_or(|age| found.updated_at > age)
                    {
                        newest = Some((rank, found));
                    }
                }
            }
        }
        match (newest, first_that_answers) {
            (Some((rank, credentials)), Some(first)) => {
                if rank != first
                    && let Err(problem) = self.put(&credentials)
                {
                    tracing::warn!(server, problem, "a token stays where it was");
                }
                Ok(Some(credentials))
            }
            (_, None) => Err(problems.join("; ")),
            (None, Some(_)) => {
                for problem in &problems {
                    tracing::debug!(server, problem, "a place for tokens does not answer");
                }
                Ok(None)
            }
        }
    }

    fn save(&self, credentials: &Credentials) -> Result<(), String> {
        self.put(credentials)
    }

    /// From everywhere. A place that does not even answer is no reason to keep what lies in the others.
    fn delete(&self, server: &str) -> Result<(), String> {
        let mut problems = Vec::new();
        for place in &self.0 {
            match place.load(server) {
                Ok(None) => {}
                Ok(Some(_)) => problems.extend(place.delete(server).err()),
                Err(problem) => tracing::warn!(server, problem, "a token may be left there"),
            }
        }
        match problems.is_empty() {
            true => Ok(()),
            false => Err(problems.join("; ")),
        }
    }
}
