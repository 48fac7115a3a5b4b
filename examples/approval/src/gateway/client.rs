//! The client of the gateway: one typed call for each operation, and an honest account of what a failure proves.
//!
//! Decides which failures happened before anything was sent. Every call has its own connection: one from a pool may
//! have been closed by the other side, and whether a request went out on it is then a guess. Never repeats a call by
//! itself.

use super::error::GatewayError;
use super::faults::{Fault, FaultCount, InForce, Told};
use super::wire::{DOWN, KEY_HEADER, Ledger, Lookup, Problem, Publish, Release, Released, Reserve};
use crate::model::{Publication, Slot, Submission};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::http::request::Builder;
use hyper::{Method, Request, StatusCode, Uri, header};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

/// The longest reply that is read, in bytes.
const LONGEST_REPLY: usize = 64 << 20;

/// How long a call may take unless told otherwise.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// A gateway, as its callers see it.
#[derive(Debug, Clone)]
pub struct Gateway {
    authority: String,
    timeout: Duration,
}

/// Why a text is not the address of a gateway.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the address of a gateway: expected one like `http://127.0.0.1:4000`")]
pub struct AddressError(String);

impl Gateway {
    /// A gateway at an address like `http://127.0.0.1:4000`. Does not connect.
    ///
    /// # Errors
    /// When the address is not of that form: no other scheme, no path, and the port is not left out.
    pub fn at(address: &str) -> Result<Gateway, AddressError> {
        let uri: Uri = address.trim().parse().map_err(|_| AddressError(address.to_owned()))?;
        let is_plain = uri.scheme_str() == Some("http") && uri.path() == "/" && uri.query().is_none();
        match uri.authority() {
            Some(authority) if is_plain && authority.port_u16().is_some() && !authority.as_str().contains('@') => {
                Ok(Gateway { authority: authority.as_str().to_owned(), timeout: DEFAULT_TIMEOUT })
            }
            _ => Err(AddressError(address.to_owned())),
        }
    }

    /// The same gateway, with another limit for the time a call may take; 10 seconds if not told.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Gateway {
        Gateway { timeout, ..self }
    }

    /// Holds a slot for a submission.
    ///
    /// # Errors
    /// See [`GatewayError`]. Refused with `no_slot` when all are held, with `released` after a release.
    pub async fn reserve(&self, key: &str, submission: &Submission) -> Result<Slot, GatewayError> {
        self.change("/reserve", key, &Reserve { submission: submission.clone() }).await
    }

    /// Publishes a submission, which consumes its slot.
    ///
    /// # Errors
    /// See [`GatewayError`]. Refused with `no_reservation` when the slot is not held, with `other_submission` when it
    /// is held for another one.
    pub async fn publish(&self, key: &str, slot: &Slot, submission: &Submission) -> Result<Publication, GatewayError> {
        self.change("/publish", key, &Publish { slot: slot.clone(), submission: submission.clone() }).await
    }

    /// Gives back what the reserve with `reserve_key` holds. Safe when there is nothing to give back: then a reserve
    /// with that key that arrives later is refused. Does not revoke a publication.
    ///
    /// # Errors
    /// See [`GatewayError`].
    pub async fn release(&self, key: &str, reserve_key: &str, submission: &Submission) -> Result<(), GatewayError> {
        let request = Release { reserve_key: reserve_key.to_owned(), submission: submission.clone() };
        let _: Released = self.change("/release", key, &request).await?;
        Ok(())
    }

    /// Looks up what was published under a key.
    ///
    /// # Errors
    /// See [`GatewayError`].
    pub async fn find_publication(&self, key: &str) -> Result<Lookup, GatewayError> {
        self.get(&format!("/publications/by-key/{}", percent_encoded(key))).await
    }

    /// Everything the gateway knows.
    ///
    /// # Errors
    /// See [`GatewayError`].
    pub async fn ledger(&self) -> Result<Ledger, GatewayError> {
        self.get("/ledger").await
    }

    /// The faults in force, and what is left of them.
    ///
    /// # Errors
    /// See [`GatewayError`].
    pub async fn faults(&self) -> Result<Vec<FaultCount>, GatewayError> {
        let InForce { faults } = self.get("/faults").await?;
        Ok(faults)
    }

    /// Replaces all faults; an empty slice ends them.
    ///
    /// # Errors
    /// See [`GatewayError`]. Refused with `bad_request` when a fault makes no sense.
    pub async fn set_faults(&self, faults: &[Fault]) -> Result<Vec<FaultCount>, GatewayError> {
        let told = Told { faults: faults.to_vec() };
        let InForce { faults } = self.send(self.request(Method::POST, "/faults"), &told).await?;
        Ok(faults)
    }

    async fn change<T: DeserializeOwned>(
        &self,
        path: &str,
        key: &str,
        body: &impl Serialize,
    ) -> Result<T, GatewayError> {
        self.send(self.request(Method::POST, path).header(KEY_HEADER, key), body).await
    }

    async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, GatewayError> {
        self.exchange(self.request(Method::GET, path).body(Full::default()).map_err(not_sent)?).await
    }

    fn request(&self, method: Method, path: &str) -> Builder {
        Request::builder().method(method).uri(path).header(header::HOST, &self.authority)
    }

    async fn send<T: DeserializeOwned>(&self, request: Builder, body: &impl Serialize) -> Result<T, GatewayError> {
        let body = serde_json::to_vec(body).map_err(not_sent)?;
        let request = request.header(header::CONTENT_TYPE, "application/json").body(Full::new(Bytes::from(body)));
        self.exchange(request.map_err(not_sent)?).await
    }

    async fn exchange<T: DeserializeOwned>(&self, request: Request<Full<Bytes>>) -> Result<T, GatewayError> {
        let until = Instant::now() + self.timeout;
        let late = || GatewayError::ReplyLost { message: format!("none within {:?}", self.timeout) };
        let stream = timeout_at(until, TcpStream::connect(&self.authority))
            .await
            .map_err(|_| unreachable(format!("no connection within {:?}", self.timeout)))?
            .map_err(|error| unreachable(error.to_string()))?;
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(|error| unreachable(error.to_string()))?;
        // It ends with `sender`; what went wrong on it is told to whoever waits for the reply.
        tokio::spawn(connection);
        let response = match timeout_at(until, sender.try_send_request(request)).await.map_err(|_| late())? {
            Ok(response) => response,
            Err(mut failed) => {
                // hyper hands the request back only if not one byte of it was written.
                let was_sent = failed.take_message().is_none();
                let message = with_causes(&failed.into_error());
                return Err(if was_sent { GatewayError::ReplyLost { message } } else { unreachable(message) });
            }
        };
        let status = response.status();
        let body = timeout_at(until, Limited::new(response.into_body(), LONGEST_REPLY).collect())
            .await
            .map_err(|_| late())?
            .map_err(|error| GatewayError::ReplyLost { message: error.to_string() })?;
        understand(status, &body.to_bytes())
    }
}

/// What a reply proves. Only the gateway's own words count: a bare 503 may come from something that passed the request
/// on.
fn understand<T: DeserializeOwned>(status: StatusCode, body: &[u8]) -> Result<T, GatewayError> {
    let unexpected = |message: String| GatewayError::Unexpected { status: status.as_u16(), message };
    if status == StatusCode::OK {
        return serde_json::from_slice(body).map_err(|error| unexpected(error.to_string()));
    }
    let Problem { code, message, reference } = serde_json::from_slice(body)
        .map_err(|error| unexpected(format!("the body does not say what is wrong: {error}")))?;
    Err(match status {
        StatusCode::SERVICE_UNAVAILABLE if code == DOWN => GatewayError::Down { message },
        StatusCode::BAD_REQUEST | StatusCode::CONFLICT => GatewayError::Refused { code, message, reference },
        StatusCode::UNPROCESSABLE_ENTITY => GatewayError::KeyReused { message, reference },
        _ => unexpected(format!("{code}: {message}")),
    })
}

fn unreachable(message: String) -> GatewayError {
    GatewayError::Unreachable { message }
}

/// A request that has no form on the wire will not have one the next time either.
fn not_sent(error: impl std::fmt::Display) -> GatewayError {
    GatewayError::Refused {
        code: "not_sent".to_owned(),
        message: format!("the request cannot be sent: {error}"),
        reference: None,
    }
}

fn with_causes(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test ends where it fails")]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_scheme_a_host_and_a_port() {
        assert!(Gateway::at("http://127.0.0.1:4000").is_ok());
        assert!(Gateway::at("http://127.0.0.1:4000/\n").is_ok());
        for text in
            ["", "127.0.0.1:4000", "https://127.0.0.1:4000", "http://127.0.0.1", "http://127.0.0.1:1/x", "http://a@b:1"]
        {
            assert_eq!(Gateway::at(text).unwrap_err(), AddressError(text.to_owned()));
        }
    }

    #[test]
    fn only_the_gateways_own_words_prove_that_nothing_was_applied() {
        let class = |status: u16, body: &str| {
            understand::<Released>(StatusCode::from_u16(status).unwrap(), body.as_bytes()).unwrap_err()
        };
        let problem = |code: &str| format!(r#"{{"code": "{code}", "message": "m"}}"#);
        assert!(matches!(class(503, &problem(DOWN)), GatewayError::Down { .. }));
        assert!(matches!(class(503, &problem("other")), GatewayError::Unexpected { status: 503, .. }));
        assert!(matches!(class(503, "<html>"), GatewayError::Unexpected { status: 503, .. }));
        assert!(matches!(class(409, "{}"), GatewayError::Unexpected { status: 409, .. }));
        assert!(matches!(class(404, &problem("no_such_route")), GatewayError::Unexpected { status: 404, .. }));
        assert!(matches!(class(500, &problem("ledger")), GatewayError::Unexpected { status: 500, .. }));
        assert!(matches!(class(200, "{}"), GatewayError::Unexpected { status: 200, .. }));
    }

    #[test]
    fn every_character_of_a_key_survives_a_path() {
        assert_eq!(percent_encoded("a:1/b c%?#~"), "a%3A1%2Fb%20c%25%3F%23~");
    }
}
