//! TLS of connections. Keys differ from process to process; their sizes, and so every datagram's, do not.

use std::sync::Arc;

use rcgen::{CertificateParams, KeyPair, PKCS_ED25519, SerialNumber};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore, ServerConfig};

/// The name in the certificate.
pub(crate) const SERVER_NAME: &str = "receiver.invalid";

/// A certificate that the client trusts, with its key if the server is in this process.
#[derive(Debug)]
pub(crate) struct Certificate {
    certificate: CertificateDer<'static>,
    key: Option<PrivateKeyDer<'static>>,
}

impl Default for Certificate {
    fn default() -> Certificate {
        // All Ed25519 signatures have one size, and so does a given serial number.
        let key = KeyPair::generate_for(&PKCS_ED25519).expect("ring has Ed25519");
        let mut params = CertificateParams::new(vec![SERVER_NAME.to_owned()]).expect("a valid name");
        params.serial_number = Some(SerialNumber::from(1));
        let certificate = params.self_signed(&key).expect("its own key");
        Certificate {
            certificate: certificate.der().clone(),
            key: Some(PrivateKeyDer::Pkcs8(key.serialize_der().into())),
        }
    }
}

impl Certificate {
    /// The certificate of a server elsewhere, from its bytes (DER).
    #[cfg(feature = "sockets")]
    pub fn of_server(bytes: Vec<u8>) -> Certificate {
        Certificate { certificate: bytes.into(), key: None }
    }

    /// Its bytes (DER).
    #[cfg(feature = "sockets")]
    pub fn bytes(&self) -> &[u8] {
        &self.certificate
    }

    /// The configuration of the client; none if the certificate is invalid.
    pub fn client(&self) -> Option<ClientConfig> {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).ok()?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_protocol_versions(&[&TLS13]).ok()?;
        Some(builder.with_root_certificates(roots).with_no_client_auth())
    }

    /// The configuration of the server, if its key is here.
    pub fn server(&self) -> Option<ServerConfig> {
        let key = self.key.as_ref()?.clone_key();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider).with_protocol_versions(&[&TLS13]).ok()?;
        builder.with_no_client_auth().with_single_cert(vec![self.certificate.clone()], key).ok()
    }
}
