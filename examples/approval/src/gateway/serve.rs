//! Connections of the gateway, and how a reply is lost: the connection is closed where the reply would have stood.
//!
//! Decides nothing about requests. It stands in for `axum::serve`, which always sends what a route returns.

use super::service::Lost;
use axum::Router;
use axum::extract::Request;
use axum::http::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::time::Duration;
use tokio::net::TcpListener;

/// How long to wait when no connection can be taken (no file descriptors left), so as not to spin.
const BREATH: Duration = Duration::from_millis(50);

/// Ends a connection without a reply.
#[derive(Debug, thiserror::Error)]
#[error("the reply was lost as told")]
struct ReplyWithheld;

/// Serves until the process ends.
pub async fn serve(listener: TcpListener, router: Router) {
    let service = TowerToHyperService::new(router);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(BREATH).await;
            continue;
        };
        let service = service.clone();
        let answer = service_fn(move |request: Request<Incoming>| {
            let service = service.clone();
            async move {
                let Ok(response) = service.call(request).await;
                if response.extensions().get::<Lost>().is_some() {
                    Err(ReplyWithheld)
                } else {
                    Ok::<Response<_>, _>(response)
                }
            }
        });
        // A broken connection is the caller's affair: it learns of it by itself.
        tokio::spawn(http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), answer));
    }
}
