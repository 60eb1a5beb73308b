//! The stubs, from `proto/` by prost and tonic. protox is a compiler of `.proto` files in Rust: no protoc is needed.
use std::{error::Error, fs, path::PathBuf};

const PROTO: &str = "../../proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={PROTO}/echomq");
    let mut files = vec![PathBuf::from("google/rpc/error_details.proto")];
    for file in fs::read_dir(format!("{PROTO}/echomq/v1"))? {
        files.push(PathBuf::from("echomq/v1").join(file?.file_name()));
    }
    let descriptors = protox::compile(files, [PROTO])?;
    tonic_prost_build::configure()
        .build_server(false)
        .build_transport(false)
        .compile_fds(descriptors)?;
    Ok(())
}
