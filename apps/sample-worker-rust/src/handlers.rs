//! What the jobs of the sample are about; the name of a job says what is to be done.

use std::time::Duration;

use echomq_worker::{Failure, Progress, echomq::v1::DeliveredJob};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::{fs::File, io::AsyncReadExt, time::sleep};

/// Works on a job; progress is JSON, as the result is. It is stopped at any of its awaits.
pub async fn handle(job: DeliveredJob, progress: Progress) -> Result<Vec<u8>, Failure> {
    match job.name.as_str() {
        "checksum" => checksum(&job).await,
        "flaky" => flaky(&job),
        "slow" => slow(&job, progress).await,
        "echo" => echo(job),
        "doomed" => Err(Failure::Final("this job never succeeds".into())),
        name => Err(Failure::Final(format!("no handler for {name:?}"))),
    }
}

/// Reads a file piece by piece, so that its size does not matter.
async fn checksum(job: &DeliveredJob) -> Result<Vec<u8>, Failure> {
    #[derive(Deserialize)]
    struct Data {
        path: String,
    }
    let Data { path } = serde_json::from_slice(&job.data)?;
    let mut file = File::open(path).await?;
    let (mut hash, mut chunk, mut bytes, mut lines) = (Sha256::new(), vec![0; 1 << 20], 0, 0);
    loop {
        let read = file.read(&mut chunk).await?;
        if read == 0 {
            let sha256: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
            return Ok(json!({"bytes": bytes, "lines": lines, "sha256": sha256})
                .to_string()
                .into());
        }
        hash.update(&chunk[..read]);
        bytes += read;
        lines += chunk[..read].iter().filter(|&&byte| byte == b'\n').count();
    }
}

/// Fails so often before it succeeds; how often it is tried again, the producer has said.
fn flaky(job: &DeliveredJob) -> Result<Vec<u8>, Failure> {
    #[derive(Deserialize)]
    struct Data {
        failures: u32,
    }
    let (Data { failures }, attempt) = (serde_json::from_slice(&job.data)?, job.attempt);
    if attempt <= failures {
        return Err(Failure::Attempt(format!("failure {attempt} of {failures}").into()));
    }
    Ok(json!({"attempts": attempt}).to_string().into())
}

/// Takes its time and says how far it is.
async fn slow(job: &DeliveredJob, progress: Progress) -> Result<Vec<u8>, Failure> {
    #[derive(Deserialize)]
    struct Data {
        ms: serde_json::Number,
    }
    let Data { ms } = serde_json::from_slice(&job.data)?;
    let step = Duration::try_from_secs_f64(ms.as_f64().unwrap_or_default() / 10_000.0)?;
    for share in (10..=100).step_by(10) {
        sleep(step).await;
        progress.tell(share.to_string());
    }
    Ok(json!({"ms": ms}).to_string().into())
}

/// What comes is what goes back, byte for byte; what is no JSON fails here.
fn echo(job: DeliveredJob) -> Result<Vec<u8>, Failure> {
    serde_json::from_str::<IgnoredAny>(std::str::from_utf8(&job.data)?)?;
    Ok(job.data)
}
