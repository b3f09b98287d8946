//! TLS of simulated connections. Keys differ from process to process; their sizes, and so every datagram's, do not.

use std::sync::Arc;

use rcgen::{CertificateParams, KeyPair, PKCS_ED25519, SerialNumber};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore, ServerConfig};

/// The name in the certificate.
pub(super) const SERVER_NAME: &str = "receiver.invalid";

/// A certificate with its key, which the client trusts.
#[derive(Debug)]
pub(super) struct Certificate {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl Default for Certificate {
    fn default() -> Certificate {
        // Signatures of Ed25519 are all of one size, and so is a serial number that is given.
        let key = KeyPair::generate_for(&PKCS_ED25519).expect("ring has Ed25519");
        let mut params = CertificateParams::new(vec![SERVER_NAME.to_owned()]).expect("a valid name");
        params.serial_number = Some(SerialNumber::from(1));
        let certificate = params.self_signed(&key).expect("its own key");
        Certificate {
            certificate: certificate.der().clone(),
            key: PrivateKeyDer::Pkcs8(key.serialize_der().into()),
        }
    }
}

impl Certificate {
    /// The configurations of client and server.
    pub fn configs(&self) -> (ClientConfig, ServerConfig) {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).expect("a certificate just made");
        let client = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[&TLS13])
            .expect("ring has TLS 1.3")
            .with_root_certificates(roots)
            .with_no_client_auth();
        let server = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])
            .expect("ring has TLS 1.3")
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate.clone()], self.key.clone_key())
            .expect("the certificate's own key");
        (client, server)
    }
}
