//! Users and their tokens, of which only hashes are kept.

use super::audit::{Note, note};
use super::database::{Store, now};
use crate::decide::digest::digest;
use crate::wire::{ChatError, ErrorCode};
use sqlx::{AnyConnection, Row};

/// How tokens begin.
pub(super) const TOKEN: &str = "he_";
/// Characters of a user's name.
const NAME: usize = 200;

/// A user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The user's id in the database.
    pub id: String,
    /// The user's name.
    pub name: String,
}

/// A token, as it is listed: not the token itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenInfo {
    /// Its id.
    pub id: String,
    /// Whose it is.
    pub user: String,
    /// When it was made, in milliseconds since 1970.
    pub created: i64,
    /// When it was revoked.
    pub revoked: Option<i64>,
}

/// Something that nobody guesses, of 128 bits.
pub(super) fn chance(prefix: &str) -> Result<String, ChatError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|e| ChatError::new(ErrorCode::Bug, format!("the system gives no random numbers: {e}")))?;
    Ok(bytes.iter().fold(prefix.to_owned(), |text, byte| format!("{text}{byte:02x}")))
}

pub(super) fn hash(token: &str) -> String {
    digest(&["token", token])
}

/// Whether somebody can be called that.
pub(super) fn check_name(name: &str) -> Result<(), ChatError> {
    if name.trim().is_empty() || name.chars().count() > NAME || name.chars().any(char::is_control) {
        return Err(ChatError::field("user", format!("takes 1 to {NAME} characters on one line")));
    }
    Ok(())
}

/// The user of a name; made where there is none.
pub(super) async fn named(tx: &mut AnyConnection, name: &str) -> Result<User, ChatError> {
    sqlx::query("INSERT INTO users (id, name, created) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING")
        .bind(chance("user_")?)
        .bind(name)
        .bind(now())
        .execute(&mut *tx)
        .await?;
    let row = sqlx::query("SELECT id FROM users WHERE name = $1").bind(name).fetch_one(&mut *tx).await?;
    Ok(User { id: row.try_get("id")?, name: name.to_owned() })
}

impl Store {
    /// The user of a name; made where there is none.
    pub async fn user(&self, name: &str) -> Result<User, ChatError> {
        let known = sqlx::query("SELECT id FROM users WHERE name = $1").bind(name).fetch_optional(&self.reads).await?;
        if let Some(row) = known {
            return Ok(User { id: row.try_get("id")?, name: name.to_owned() });
        }
        let mut tx = self.begin().await?;
        let user = named(&mut tx, name).await?;
        tx.commit().await?;
        Ok(user)
    }

    /// Makes a token for a user: its id, and the token, which can't be had again.
    pub async fn create_token(&self, name: &str) -> Result<(String, String), ChatError> {
        check_name(name)?;
        let (id, token) = (chance("token_")?, chance(TOKEN)?);
        let mut tx = self.begin().await?;
        let user = named(&mut tx, name).await?;
        sqlx::query("INSERT INTO tokens (id, user_id, hash, created) VALUES ($1, $2, $3, $4)")
            .bind(&id)
            .bind(&user.id)
            .bind(hash(&token))
            .bind(now())
            .execute(&mut *tx)
            .await?;
        note(&mut tx, self.kind(), Note { user: name, conversation: "", event: "token_created", detail: &id }).await?;
        tx.commit().await?;
        Ok((id, token))
    }

    /// All tokens, the earliest first.
    pub async fn tokens(&self) -> Result<Vec<TokenInfo>, ChatError> {
        let rows = sqlx::query(
            "SELECT tokens.id AS id, users.name AS name, tokens.created AS created, tokens.revoked AS revoked FROM tokens JOIN users ON users.id = tokens.user_id WHERE tokens.id LIKE 'token!_%' ESCAPE '!' ORDER BY tokens.created, tokens.id",
        )
        .fetch_all(&self.reads)
        .await?;
        let info = |row: &sqlx::any::AnyRow| -> Result<TokenInfo, ChatError> {
            Ok(TokenInfo {
                id: row.try_get("id")?,
                user: row.try_get("name")?,
                created: row.try_get("created")?,
                revoked: row.try_get("revoked")?,
            })
        };
        rows.iter().map(info).collect()
    }

    /// Revokes a token by its id.
    pub async fn revoke_token(&self, id: &str) -> Result<(), ChatError> {
        let mut tx = self.begin().await?;
        let done = sqlx::query("UPDATE tokens SET revoked = $2 WHERE id = $1 AND revoked IS NULL")
            .bind(id)
            .bind(now())
            .execute(&mut *tx)
            .await?;
        if done.rows_affected() == 0 {
            return Err(ChatError::new(
                ErrorCode::NotFound,
                format!("there is no token `{}` that holds", id.escape_debug()),
            ));
        }
        note(&mut tx, self.kind(), Note { user: "", conversation: "", event: "token_revoked", detail: id }).await?;
        tx.commit().await
    }

    /// Whose a token is; none where it is wrong or revoked.
    pub async fn user_of(&self, token: &str) -> Result<Option<User>, ChatError> {
        let row = sqlx::query(
            "SELECT users.id AS id, users.name AS name FROM tokens JOIN users ON users.id = tokens.user_id WHERE tokens.hash = $1 AND tokens.revoked IS NULL",
        )
        .bind(hash(token))
        .fetch_optional(&self.reads)
        .await?;
        row.map(|row| Ok(User { id: row.try_get("id")?, name: row.try_get("name")? })).transpose()
    }
}
