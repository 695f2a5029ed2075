//! Whom we trust: the operating system's store and the certificates that were handed in. There is no way to trust
//! everybody.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore, crypto};
use rustls_platform_verifier::Verifier;

use super::{NetworkOptions, configuration};
use crate::ModelError;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    OperatingSystem,
    /// For a client that never speaks TLS; should it try, every certificate is refused.
    Nobody,
}

pub(super) fn config(options: &NetworkOptions, trust: Trust) -> Result<ClientConfig, ModelError> {
    let broken = |error: rustls::Error| configuration(&format!("TLS: {error}"));
    let provider = Arc::new(crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(broken)?;
    let mut config = match trust {
        Trust::Nobody => builder
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth(),
        Trust::OperatingSystem => {
            let verifier = verifier(extra_roots(options)?, provider).map_err(broken)?;
            builder
                // The name is rustls' word for any verifier but its own; this one is the operating system's.
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(verifier))
                .with_no_client_auth()
        }
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn extra_roots(options: &NetworkOptions) -> Result<Vec<CertificateDer<'static>>, ModelError> {
    let mut roots = Vec::new();
    for pem in &options.extra_roots {
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let unreadable =
                |error| configuration(&format!("an extra certificate cannot be read: {error}"));
            roots.push(certificate.map_err(unreadable)?);
        }
    }
    Ok(roots)
}

fn verifier(
    extra: Vec<CertificateDer<'static>>,
    provider: Arc<crypto::CryptoProvider>,
) -> Result<Verifier, rustls::Error> {
    if extra.is_empty() {
        Verifier::new(provider)
    } else {
        Verifier::new_with_extra_roots(extra, provider)
    }
}
