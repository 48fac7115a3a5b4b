//! The routes of the gateway, and where in a request a fault strikes.
//!
//! Decides what is a well-formed request and in which order down, delay, commit and loss come. What a request does is
//! decided in `ledger`; how a reply is lost, in `serve`.

use super::faults::{FaultKind, Faults, InForce, Told};
use super::ledger::{LedgerError, LedgerFile, Reply};
use super::wire::{Change, DOWN, KEY_HEADER, Lookup, Operation, Problem, Publish, Release, Reserve};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::{get, post};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The longest idempotency key, in bytes.
const LONGEST_KEY: usize = 255;

const SUBMISSION: &str = r#"{"id": "s-1", "revision": 1, "title": "..", "body": ".."}"#;

/// Marks a reply that must not reach the caller.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lost;

/// The gateway, shared by its connections.
#[derive(Debug, Clone)]
pub struct Service {
    ledger: Arc<Mutex<LedgerFile>>,
    faults: Arc<Faults>,
    under_way: Arc<Mutex<HashMap<String, usize>>>,
}

impl Service {
    /// A gateway on this ledger.
    pub fn new(ledger: LedgerFile, faults: Faults) -> Service {
        Service { ledger: Arc::new(Mutex::new(ledger)), faults: Arc::new(faults), under_way: Arc::default() }
    }

    /// Its routes.
    pub fn router(self) -> Router {
        Router::new()
            .route("/reserve", post(reserve))
            .route("/publish", post(publish))
            .route("/release", post(release))
            .route("/publications/by-key/{key}", get(find))
            .route("/publications/{id}", get(published))
            .route("/ledger", get(ledger))
            .route("/faults", get(faults).post(tell_faults))
            .fallback(unknown)
            .method_not_allowed_fallback(unknown)
            .with_state(self)
    }

    /// Runs `act` on the ledger, off the threads that serve connections: a commit waits for the disk.
    async fn with_ledger<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut LedgerFile) -> Result<T, LedgerError> + Send + 'static,
    ) -> Result<T, Response> {
        let ledger = self.ledger.clone();
        let run = move || act(&mut ledger.lock().unwrap_or_else(PoisonError::into_inner));
        match tokio::task::spawn_blocking(run).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(problem(StatusCode::INTERNAL_SERVER_ERROR, "ledger", error.to_string())),
            Err(error) => Err(problem(StatusCode::INTERNAL_SERVER_ERROR, "ended", error.to_string())),
        }
    }

    /// Carries a change out whether or not its caller still waits: what has arrived lands.
    async fn change(self, key: String, change: Change) -> Response {
        let work = async move { self.perform(key, change).await.unwrap_or_else(|response| response) };
        tokio::spawn(work)
            .await
            .unwrap_or_else(|error| problem(StatusCode::INTERNAL_SERVER_ERROR, "ended", error.to_string()))
    }

    async fn perform(self, key: String, change: Change) -> Result<Response, Response> {
        let operation = change.operation();
        let submission = change.submission().id.clone();
        let submission = Some(submission.as_str());
        if self.faults.meets(FaultKind::Down, operation, submission) {
            return Err(down());
        }
        let _under_way = UnderWay::enter(&self.under_way, &key);
        tokio::time::sleep(self.faults.delay_before(operation, submission)).await;
        if self.faults.meets(FaultKind::LoseRequest, operation, submission) {
            return Err(lost());
        }
        let faults = self.faults.clone();
        let apply = move |ledger: &mut LedgerFile| {
            ledger.apply(&key, &change, || faults.refusal(operation, Some(&change.submission().id)))
        };
        let Reply { status, body } = self.with_ledger(apply).await?;
        tokio::time::sleep(self.faults.delay_after(operation, submission)).await;
        if self.faults.meets(FaultKind::LoseReply, operation, submission) {
            return Err(lost());
        }
        Ok(json(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), body))
    }

    async fn find(&self, key: String) -> Result<Response, Response> {
        let find = Operation::Find;
        if self.faults.meets(FaultKind::Down, find, None) {
            return Err(down());
        }
        tokio::time::sleep(self.faults.delay_before(find, None)).await;
        if let Some(code) = self.faults.refusal(find, None) {
            return Err(problem(StatusCode::CONFLICT, &code, "the gateway was told to refuse this".to_owned()));
        }
        // Asked before the ledger: a request that commits between the two is then seen as applied, never as not found.
        let is_under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&key);
        let found = self.with_ledger(move |ledger| ledger.find(&key)).await?;
        let lookup = match found {
            Some(_) if self.faults.meets(FaultKind::Lag, find, None) => Lookup::NotFound,
            Some(publication) => Lookup::Applied { publication },
            None if is_under_way => Lookup::Pending,
            None => Lookup::NotFound,
        };
        tokio::time::sleep(self.faults.delay_after(find, None)).await;
        if self.faults.meets(FaultKind::LoseRequest, find, None) || self.faults.meets(FaultKind::LoseReply, find, None)
        {
            return Err(lost());
        }
        Ok(written(&lookup))
    }
}

/// Counts a key as under way until it is dropped.
struct UnderWay<'a> {
    keys: &'a Mutex<HashMap<String, usize>>,
    key: String,
}

impl<'a> UnderWay<'a> {
    fn enter(keys: &'a Mutex<HashMap<String, usize>>, key: &str) -> Self {
        *keys.lock().unwrap_or_else(PoisonError::into_inner).entry(key.to_owned()).or_default() += 1;
        UnderWay { keys, key: key.to_owned() }
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = keys.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                keys.remove(&self.key);
            }
        }
    }
}

type Received = Result<Bytes, BytesRejection>;

async fn reserve(State(service): State<Service>, headers: HeaderMap, body: Received) -> Result<Response, Response> {
    let key = idempotency_key(&headers)?;
    let request: Reserve = read(body, "POST /reserve", &format!(r#"{{"submission": {SUBMISSION}}}"#))?;
    request.submission.check().map_err(BadRequest)?;
    Ok(service.change(key, Change::Reserve(request)).await)
}

async fn publish(State(service): State<Service>, headers: HeaderMap, body: Received) -> Result<Response, Response> {
    let key = idempotency_key(&headers)?;
    let slot = r#"{"number": 1, "reservation": "reservation-1"}"#;
    let form = format!(r#"{{"slot": {slot}, "submission": {SUBMISSION}}}"#);
    let request: Publish = read(body, "POST /publish", &form)?;
    request.submission.check().map_err(BadRequest)?;
    Ok(service.change(key, Change::Publish(request)).await)
}

async fn release(State(service): State<Service>, headers: HeaderMap, body: Received) -> Result<Response, Response> {
    let key = idempotency_key(&headers)?;
    let form = format!(r#"{{"reserve_key": "key of the reserve", "submission": {SUBMISSION}}}"#);
    let request: Release = read(body, "POST /release", &form)?;
    request.submission.check().map_err(BadRequest)?;
    check_key("`reserve_key`", &request.reserve_key).map_err(BadRequest)?;
    if request.reserve_key == key {
        let message = "`reserve_key` is the key of this release: expected the key of the reserve; an undo has its own";
        return Err(BadRequest(message.to_owned()).into());
    }
    Ok(service.change(key, Change::Release(request)).await)
}

async fn find(State(service): State<Service>, Path(key): Path<String>) -> Response {
    service.find(key).await.unwrap_or_else(|response| response)
}

async fn published(State(service): State<Service>, Path(id): Path<String>) -> Result<Response, Response> {
    let wanted = id.clone();
    match service.with_ledger(move |ledger| ledger.published(&wanted)).await? {
        Some(row) => Ok(written(&row)),
        None => Err(problem(StatusCode::NOT_FOUND, "not_found", format!("there is no publication `{id}`"))),
    }
}

async fn ledger(State(service): State<Service>) -> Result<Response, Response> {
    Ok(written(&service.with_ledger(LedgerFile::read).await?))
}

async fn faults(State(service): State<Service>) -> Response {
    written(&InForce { faults: service.faults.counts() })
}

async fn tell_faults(State(service): State<Service>, body: Received) -> Result<Response, Response> {
    let form = r#"{"faults": [{"operation": "publish", "fault": "lose_reply", "times": 1}]}"#;
    let told: Told = read(body, "POST /faults", form)?;
    service.faults.replace(told.faults).map_err(BadRequest)?;
    Ok(written(&InForce { faults: service.faults.counts() }))
}

async fn unknown() -> Response {
    let routes = "POST /reserve, POST /publish, POST /release, GET /publications/by-key/{key}, GET /publications/{id}, \
                  GET /ledger, GET /faults, POST /faults";
    problem(StatusCode::NOT_FOUND, "no_such_route", format!("there is no such route: expected one of {routes}"))
}

fn idempotency_key(headers: &HeaderMap) -> Result<String, BadRequest> {
    let Some(value) = headers.get(KEY_HEADER) else {
        let message =
            "the header `Idempotency-Key` is missing: expected a text that is the same for every copy of this request";
        return Err(BadRequest(message.to_owned()));
    };
    let key = String::from_utf8_lossy(value.as_bytes()).into_owned();
    check_key("the header `Idempotency-Key`", &key).map_err(BadRequest)?;
    Ok(key)
}

fn check_key(what: &str, key: &str) -> Result<(), String> {
    if key.is_empty() || key.len() > LONGEST_KEY || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!(
            "{what} is not a key: expected 1 to {LONGEST_KEY} visible ASCII characters without spaces"
        ));
    }
    Ok(())
}

fn read<T: DeserializeOwned>(body: Received, route: &str, form: &str) -> Result<T, BadRequest> {
    let body =
        body.map_err(|error| BadRequest(format!("the body of {route} cannot be read: {}", error.body_text())))?;
    serde_json::from_slice(&body)
        .map_err(|error| BadRequest(format!("the body of {route} does not fit: {error}; expected JSON like {form}")))
}

/// A request that is not well formed: what is wrong with it, and what was expected.
struct BadRequest(String);

impl From<BadRequest> for Response {
    fn from(BadRequest(message): BadRequest) -> Response {
        problem(StatusCode::BAD_REQUEST, "bad_request", message)
    }
}

fn down() -> Response {
    problem(StatusCode::SERVICE_UNAVAILABLE, DOWN, "the gateway was told to be down".to_owned())
}

fn lost() -> Response {
    let mut response = Response::new(Body::empty());
    response.extensions_mut().insert(Lost);
    response
}

fn problem(status: StatusCode, code: &str, message: String) -> Response {
    match serde_json::to_string(&Problem { code: code.to_owned(), message, reference: None }) {
        Ok(body) => json(status, body),
        Err(_) => json(StatusCode::INTERNAL_SERVER_ERROR, String::new()),
    }
}

fn written<T: Serialize>(value: &T) -> Response {
    match serde_json::to_string(value) {
        Ok(body) => json(StatusCode::OK, body),
        Err(error) => problem(StatusCode::INTERNAL_SERVER_ERROR, "json", error.to_string()),
    }
}

fn json(status: StatusCode, body: String) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
