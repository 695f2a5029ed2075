//! Real TLS on loopback: whom we believe.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::{answer, open_ai};
use crate::NetworkOptions;

const BODY: &str = r#"{"choices":[{"message":{"content":"trusted"},"finish_reason":"stop"}]}"#;

/// Serves one connection with a certificate that no store knows; returns the address and the certificate.
async fn serve_tls(names: &[&str]) -> (String, Vec<u8>) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let signed = rcgen::generate_simple_self_signed(names).unwrap();
    let key = PrivateKeyDer::Pkcs8(signed.signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![signed.cert.der().clone()], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        let Ok(mut stream) = TlsAcceptor::from(Arc::new(config)).accept(socket).await else {
            return;
        };
        let mut request = Vec::new();
        while !request.ends_with(b"}") {
            stream.read_buf(&mut request).await.unwrap();
        }
        let length = BODY.len();
        let reply = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{BODY}"
        );
        stream.write_all(reply.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
    });
    (format!("https://{address}"), signed.cert.pem().into_bytes())
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused() {
    let (url, _) = serve_tls(&["127.0.0.1"]).await;
    let error = answer(&open_ai(&url, NetworkOptions::default()))
        .await
        .unwrap_err();
    assert!(
        error.starts_with("the server's certificate is not trusted"),
        "{error}"
    );
}

// The stores of other systems have rules of their own for certificates without an authority.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_extra_certificate_is_trusted_for_its_own_name_only() {
    let trusting = |pem: Vec<u8>| {
        let mut options = NetworkOptions::default();
        options.extra_roots.push(pem);
        options
    };
    let (url, pem) = serve_tls(&["127.0.0.1"]).await;
    assert_eq!(
        answer(&open_ai(&url, trusting(pem))).await,
        Ok("trusted".to_owned())
    );
    let (url, pem) = serve_tls(&["elsewhere.example"]).await;
    let error = answer(&open_ai(&url, trusting(pem))).await.unwrap_err();
    assert!(
        error.starts_with("the server's certificate is not trusted"),
        "{error}"
    );
}
