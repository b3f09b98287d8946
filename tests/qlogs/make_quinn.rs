//! A transfer of quinn or noq to itself: the client sends, and writes its log. The README in this folder has the command.

use std::error::Error;
use std::fs::File;
use std::net::SocketAddr;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const SERVER: &str = "127.0.0.1:4433";
const LINK: &str = "127.0.0.1:4434";

/// The transfer, the same for both stacks but for the function that makes one write a log.
macro_rules! transfer {
    ($module:ident, $stack:ident, $write:expr) => {
        pub mod $module {
            use super::*;
            use $stack::congestion::{CubicConfig, NewRenoConfig};
            use $stack::{ClientConfig, Endpoint, ServerConfig, TransportConfig};
            use std::sync::Arc;

            pub async fn run(algorithm: &str, count: usize, log: File) -> Result<()> {
                let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
                let key = rustls::pki_types::PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
                let certificate = made.cert.der().clone();
                let server = Endpoint::server(
                    ServerConfig::with_single_cert(vec![certificate.clone()], key.into())?,
                    SERVER.parse::<SocketAddr>()?,
                )?;
                let receiver = tokio::spawn(async move {
                    let connection = server.accept().await.expect("a connection").await.expect("a handshake");
                    let mut stream = connection.accept_uni().await.expect("a stream");
                    let received = stream.read_to_end(1 << 26).await.expect("all data").len();
                    connection.closed().await;
                    received
                });

                let mut roots = rustls::RootCertStore::empty();
                roots.add(certificate)?;
                let mut transport = TransportConfig::default();
                match algorithm {
                    "reno" => transport.congestion_controller_factory(Arc::new(NewRenoConfig::default())),
                    _ => transport.congestion_controller_factory(Arc::new(CubicConfig::default())),
                };
                transport.mtu_discovery_config(None);
                $write(&mut transport, log);
                let mut config = ClientConfig::with_root_certificates(Arc::new(roots))?;
                config.transport_config(Arc::new(transport));
                let client = Endpoint::client("127.0.0.1:0".parse()?)?;
                let connection = client.connect_with(config, LINK.parse()?, "localhost")?.await?;
                let mut stream = connection.open_uni().await?;
                stream.write_all(&vec![0; count]).await?;
                stream.finish()?;
                stream.stopped().await?;
                connection.close(0u32.into(), b"");
                client.wait_idle().await;
                eprintln!("{} bytes received", receiver.await?);
                Ok(())
            }
        }
    };
}

transfer!(on_quinn, quinn, |transport: &mut TransportConfig, log| {
    let mut config = ::quinn::QlogConfig::default();
    config.writer(Box::new(log));
    transport.qlog_stream(config.into_stream());
});

transfer!(on_noq, noq, |transport: &mut TransportConfig, log| {
    transport.qlog_factory(Arc::new(super::OneLog(std::sync::Mutex::new(Some(log)))));
});

/// Gives the log to the first connection that asks.
struct OneLog(std::sync::Mutex<Option<File>>);

impl ::noq::QlogFactory for OneLog {
    fn for_connection(
        &self,
        _: ::noq::Side,
        _: SocketAddr,
        _: ::noq::ConnectionId,
        _: std::time::Instant,
    ) -> Option<::noq::QlogConfig> {
        let log = self.0.lock().expect("no panic").take()?;
        Some(::noq::QlogConfig::new(Box::new(log)))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, stack, algorithm, count, log] = &arguments[..] else {
        return Err("expected STACK ALGORITHM BYTES LOG".into());
    };
    rustls::crypto::ring::default_provider().install_default().expect("the first provider");
    let (count, log) = (count.parse()?, File::create(log)?);
    match stack.as_str() {
        "quinn" => on_quinn::run(algorithm, count, log).await,
        _ => on_noq::run(algorithm, count, log).await,
    }
}
