//! Works on checksum, flaky, slow, echo and doomed jobs.

mod handlers;

use std::{num::NonZeroUsize, process::ExitCode, time::Duration};

use echomq_worker::{Options, Worker};
use lexopt::{Arg::Long, Parser, ValueExt};

const USAGE: &str = "sample-worker [options]

  --address HOST:PORT  the gateway (127.0.0.1:50051)
  --queue NAME         the queue (demo)
  --concurrency N      jobs at once (4)
  --name TEXT          what the worker is called
  --lock-duration MS   until a dead worker's jobs are free (the gateway's default)";

#[tokio::main]
async fn main() -> ExitCode {
    let worker = match flags() {
        Ok(options) => Worker::new(options, handlers::handle),
        Err(error) => {
            eprintln!("{error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match worker.run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn flags() -> Result<Options, lexopt::Error> {
    let mut options = Options::new("127.0.0.1:50051", "demo");
    let mut parser = Parser::from_env();
    while let Some(flag) = parser.next()? {
        match flag {
            Long("address") => options.address = parser.value()?.string()?,
            Long("queue") => options.queue = parser.value()?.string()?,
            Long("concurrency") => {
                options.concurrency = parser.value()?.parse::<NonZeroUsize>()?.get();
            }
            Long("name") => options.name = Some(parser.value()?.string()?),
            Long("lock-duration") => {
                options.lock_duration = Some(Duration::from_millis(parser.value()?.parse()?));
            }
            _ => return Err(flag.unexpected()),
        }
    }
    Ok(options)
}
