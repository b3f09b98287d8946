//! Packets that enter a link direction on which something varies.

use crate::DropReason;
use crate::event_list::EventList;
use crate::link::Link;
use crate::link::offer::Offer;
use crate::packet::header::flow_of;
use crate::packet::slot::SlotId;
use crate::packet::store::PacketStore;
use crate::path::Place;
use crate::pull::PullQueues;

/// Offers a packet to a link direction on which something varies.
///
/// # Errors
/// The reason for which it is dropped.
#[inline(never)]
pub(super) fn enter_path<P: Copy, A: Copy>(
    links: &mut [Link],
    store: &mut PacketStore<P, A>,
    pull_queues: &mut PullQueues<P, A>,
    events: &mut EventList,
    mut offer: Offer,
    slot: SlotId,
) -> Result<(), DropReason> {
    offer.size = links[offer.link.index()].enter_tunnel(slot, store);
    let entered = enter_varying(links, store, pull_queues, events, offer, slot);
    if let Err(reason) = entered {
        links[offer.link.index()].abandon(offer.now, slot, reason, store);
    }
    entered
}

/// [`enter_path`] inside of the tunnel, if there is one.
#[expect(clippy::inline_always, reason = "its only caller")]
#[inline(always)]
fn enter_varying<P: Copy, A: Copy>(
    links: &mut [Link],
    store: &mut PacketStore<P, A>,
    pull_queues: &mut PullQueues<P, A>,
    events: &mut EventList,
    offer: Offer,
    slot: SlotId,
) -> Result<(), DropReason> {
    let second_target = (links.len() + offer.link.index()) as u32;
    let link = &mut links[offer.link.index()];
    let flow = store.header(slot).flow_key;
    link.conforms(offer.now, flow_of(flow), offer.size)?;
    if let Some(index) = link.pull_queue() {
        return pull_queues.enter::<true>(index, offer.now, slot, links, store, events);
    }
    let thinning = link.path_mut().and_then(|path| path.thinning.as_mut());
    let acknowledgment = match thinning {
        Some(_) => (pull_queues.header_view)(store.payload(slot)).acknowledgment,
        None => None,
    };
    if let Some((thinning, number)) = thinning.zip(acknowledgment)
        && let Some(place) = thinning.replaces(offer.now, flow, number, offer.size)
    {
        store.exchange_content(place, slot);
        return Err(DropReason::Thinned);
    }
    let (lost, marked) = link.admit_on_path(&offer, &store.attributes(slot))?;
    let (begin, departure) = link.transmit(offer.now, offer.size, false);
    if marked {
        store.header_mut(slot).mark();
    }
    if let Some(thinning) = link.path_mut().and_then(|path| path.thinning.as_mut()) {
        thinning.note(flow, acknowledgment.map(|number| Place { slot, begin, number, size: offer.size }));
    }
    link.carry((departure, lost), slot, (offer.link, second_target), store, events);
    Ok(())
}
