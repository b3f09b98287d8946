//! The detections of spurious episodes that few senders use, stored separately.

use super::super::settings::Settings;
use super::dsack::Dsack;
use super::frto::Frto;

/// F-RTO and the reports of duplicates.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpuriousDetection {
    pub frto: Frto,
    pub dsack: Dsack,
}

impl SpuriousDetection {
    /// None if the settings have neither.
    pub fn of(settings: &Settings) -> Option<Box<SpuriousDetection>> {
        (settings.frto || settings.dsack).then(Box::default)
    }
}
