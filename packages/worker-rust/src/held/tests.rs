use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc::unbounded_channel;

use super::*;
use crate::echomq::v1::{FailOutcome, job_outcome::Kind};
use crate::handler::{Failure, boxed};

fn job(token: &str) -> DeliveredJob {
    let lease = JobLease { lease_token: token.into(), ..JobLease::default() };
    DeliveredJob { lease: Some(lease), ..DeliveredJob::default() }
}

fn held(tokens: &[&str]) -> Held {
    let mut held = Held::default();
    tokens.iter().for_each(|token| held.add(job(token)));
    held
}

/// Begins as many as may run.
fn begin(held: &mut Held, concurrency: usize, handler: &Handler) {
    let (progress, _) = unbounded_channel();
    for job in held.next(concurrency) {
        held.start(handler, job, "nowhere", &progress);
    }
}

fn endless() -> Handler {
    boxed(async |_, _| pending::<Result<Vec<u8>, Failure>>().await)
}

async fn ending(held: &mut Held) -> Option<Ending> {
    let ended = held.handlers.join_next_with_id().await.expect("a handler runs");
    held.ended(ended)
}

fn running(held: &Held) -> Vec<bool> {
    held.named().iter().map(|job| job.running).collect()
}

#[tokio::test]
async fn begins_no_more_than_may_run_and_names_all() {
    let mut held = held(&["a", "b", "c"]);
    begin(&mut held, 2, &endless());
    assert_eq!(running(&held), [true, true, false]);
    assert!(held.next(2).is_empty());
}

#[tokio::test]
async fn stops_the_handler_of_a_lost_job_and_reports_nothing_of_it() {
    let mut held = held(&["a"]);
    begin(&mut held, 1, &endless());
    assert!(held.lose("a").is_none());
    assert_eq!((held.is_empty(), held.zombies()), (true, 1));
    assert!(ending(&mut held).await.is_none());
    assert_eq!(held.zombies(), 0);
}

#[tokio::test]
async fn gives_back_at_once_what_has_not_begun_and_what_has_when_it_has_stopped() {
    let mut held = held(&["a", "b"]);
    begin(&mut held, 1, &endless());
    assert!(held.recall("a").is_none(), "it has begun");
    let all = held.release_all(true);
    assert!(matches!(all.as_slice(), [(lease, _)] if lease.lease_token == "b"));
    let (lease, outcome) = ending(&mut held).await.expect("it is reported");
    assert_eq!(lease.lease_token, "a");
    assert_eq!(outcome, release());
}

#[tokio::test]
async fn fails_the_attempt_of_a_handler_that_panics_or_is_cancelled() {
    let mut held = held(&["a", "b"]);
    let calls = AtomicBool::new(false);
    let handler = boxed(move |_, _| {
        let second = calls.swap(true, Ordering::Relaxed);
        async move {
            assert!(second, "the first one");
            pending().await
        }
    });
    begin(&mut held, 1, &handler);
    let fails = |ending: Option<Ending>| match ending {
        Some((_, JobOutcome { kind: Some(Kind::Fail(FailOutcome { message, .. })) })) => message,
        _ => panic!("no failure"),
    };
    assert!(fails(ending(&mut held).await).contains("panicked"));
    begin(&mut held, 1, &handler);
    assert!(held.cancel("b").is_none());
    assert_eq!(fails(ending(&mut held).await), "cancelled");
}
