// The lessons in their order.
import { aqm } from "./aqm.js";
import { bbr } from "./bbr.js";
import { bufferbloat } from "./bufferbloat.js";
import { cubic } from "./cubic.js";
import { delayOrLoss } from "./delay-or-loss.js";
import { farPage } from "./far-page.js";
import { frozenCall } from "./frozen-call.js";
import { lowRateAttack } from "./low-rate-attack.js";
import { mice } from "./mice.js";
import { roundTrips } from "./round-trips.js";
import { sawtooth } from "./sawtooth.js";
import { slowLink } from "./slow-link.js";
import { slowStart } from "./slow-start.js";
import { stoppedFilm } from "./stopped-film.js";
import { subPacket } from "./sub-packet.js";

/** @type {import("./lesson.js").Lesson[]} */
export const LESSONS = [slowStart, sawtooth, bufferbloat, roundTrips, delayOrLoss, cubic, bbr, aqm, subPacket, mice, slowLink, lowRateAttack, frozenCall, farPage, stoppedFilm];
