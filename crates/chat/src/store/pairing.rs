//! Codes by which a client gets a token without a person carrying it: each for one use, within minutes. Of a code, too, only a hash is kept: it
//! stands among the tokens as one that doesn't hold, and becomes one as it is used.

use super::audit::{Note, note};
use super::database::{Store, now};
use super::users::{TOKEN, chance, check_name, hash, named};
use crate::decide::digest::digest;
use crate::wire::{ChatError, ErrorCode};
use sqlx::Row;
use std::time::Duration;

/// How long a code holds.
pub const HOLDS: Duration = Duration::from_secs(300);
/// What codes are written with: no letter looks like a digit, and each is five bits.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Characters of a code: 40 bits, for few tries a minute.
const CODE: usize = 8;

/// A token that was given for a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paired {
    /// The token's id.
    pub id: String,
    /// The token, which can't be had again.
    pub token: String,
    /// Whose it is.
    pub user: String,
}

/// A code as it is compared: in capitals, without what parts it; none where it can't be one.
fn read(code: &str) -> Option<String> {
    let code: String = code.chars().filter(|c| !matches!(c, '-' | ' ')).map(|c| c.to_ascii_uppercase()).collect();
    (code.len() == CODE && code.bytes().all(|b| LETTERS.contains(&b))).then_some(code)
}

fn key(code: &str) -> String {
    digest(&["pairing", code])
}

/// The codes of a database.
#[derive(Debug, Clone, Copy)]
pub struct Pairings<'a> {
    store: &'a Store,
}

impl Store {
    /// Its codes.
    pub fn pairings(&self) -> Pairings<'_> {
        Pairings { store: self }
    }
}

impl Pairings<'_> {
    /// Makes a code by which a client gets a token of a user, once.
    pub async fn create(self, user: &str) -> Result<String, ChatError> {
        check_name(user)?;
        let mut bytes = [0_u8; CODE];
        getrandom::fill(&mut bytes)
            .map_err(|e| ChatError::new(ErrorCode::Bug, format!("the system gives no random numbers: {e}")))?;
        let code: String = bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
        let (id, at) = (chance("pair_")?, now());
        let ends = at + i64::try_from(HOLDS.as_millis()).unwrap_or(0);
        let mut tx = self.store.begin().await?;
        sqlx::query("DELETE FROM tokens WHERE id LIKE 'pair!_%' ESCAPE '!' AND revoked <= $1")
            .bind(at)
            .execute(&mut *tx)
            .await?;
        let owner = named(&mut tx, user).await?;
        sqlx::query("INSERT INTO tokens (id, user_id, hash, created, revoked) VALUES ($1, $2, $3, $4, $5)")
            .bind(&id)
            .bind(&owner.id)
            .bind(key(&code))
            .bind(at)
            .bind(ends)
            .execute(&mut *tx)
            .await?;
        note(&mut tx, self.store.kind(), Note { user, conversation: "", event: "pairing_created", detail: &id })
            .await?;
        tx.commit().await?;
        Ok(format!("{}-{}", &code[..CODE / 2], &code[CODE / 2..]))
    }

    /// A token for a code; none where it is wrong, was used or has expired: which of these isn't told.
    pub async fn exchange(self, code: &str) -> Result<Option<Paired>, ChatError> {
        let Some(code) = read(code) else { return Ok(None) };
        let (id, token, at) = (chance("token_")?, chance(TOKEN)?, now());
        let mut tx = self.store.begin().await?;
        // One statement, so that of two who come at once one gets it.
        let made = sqlx::query(
            "UPDATE tokens SET id = $1, hash = $2, created = $3, revoked = NULL WHERE hash = $4 AND id LIKE 'pair!_%' ESCAPE '!' AND revoked > $3",
        )
        .bind(&id)
        .bind(hash(&token))
        .bind(at)
        .bind(key(&code))
        .execute(&mut *tx)
        .await?;
        if made.rows_affected() == 0 {
            return Ok(None);
        }
        let row = sqlx::query(
            "SELECT users.name AS name FROM tokens JOIN users ON users.id = tokens.user_id WHERE tokens.id = $1",
        )
        .bind(&id)
        .fetch_one(&mut *tx)
        .await?;
        let user: String = row.try_get("name")?;
        note(&mut tx, self.store.kind(), Note { user: &user, conversation: "", event: "paired", detail: &id }).await?;
        tx.commit().await?;
        Ok(Some(Paired { id, token, user }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_a_person_writes_it() {
        for text in ["0A1B-2C3D", "0a1b2c3d", " 0A1B 2C3D "] {
            assert_eq!(read(text).as_deref(), Some("0A1B2C3D"), "{text}");
        }
        for text in ["", "0A1B-2C3", "0A1B-2C3D4", "0A1B-2C3O", "0A1B-2C3É"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[tokio::test]
    async fn a_code_gives_one_token_in_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}?mode=rwc", folder.path().join("chat.sqlite").display());
        let store = Store::open(&url).await.unwrap();
        let code = store.pairings().create("ann").await.unwrap();
        let (one, other) = tokio::join!(store.pairings().exchange(&code), store.pairings().exchange(&code));
        let given: Vec<Paired> = [one.unwrap(), other.unwrap()].into_iter().flatten().collect();
        assert_eq!(given.len(), 1, "two come at once");
        assert_eq!(store.user_of(&given[0].token).await.unwrap().map(|user| user.name), Some("ann".into()));
        let late = store.pairings().create("ann").await.unwrap();
        assert_eq!(store.user_of(&late).await.unwrap(), None);
        let mut tx = store.begin().await.unwrap();
        sqlx::query("UPDATE tokens SET revoked = $1 WHERE revoked IS NOT NULL")
            .bind(now())
            .execute(&mut *tx)
            .await
            .unwrap();
        tx.commit().await.unwrap();
        assert_eq!(store.pairings().exchange(&late).await.unwrap(), None, "after its time");
        store.pairings().create("bob").await.unwrap();
        let left: i64 = sqlx::query("SELECT COUNT(*) AS n FROM tokens")
            .fetch_one(&store.reads)
            .await
            .unwrap()
            .try_get("n")
            .unwrap();
        assert_eq!(left, 2, "what has expired is forgotten");
        assert!(store.pairings().create(" ").await.is_err());
    }
}
