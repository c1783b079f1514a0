import { EARLIEST_SPLIT, PIECE_TIME, SETTLED_AFTER, USUAL_LATENCY } from '../../constants.ts'
import { LEAST_SHARE, MAX_WINDOW, MIN_PIECE } from './limits.ts'

/** A range of bytes of a file, `end` exclusive. */
export interface Piece {
  start: number
  end: number
}

/** What one response is to bring, and how far it is. */
export interface Part<G> extends Piece {
  /** Who sends it. Undefined: it is not known yet. */
  gateway: G | undefined
  /** How far it is, about: an offset in the file. */
  reached: number
  /** Bytes per millisecond, if known. */
  rate: number | undefined
  /** How long its reader has waited for bytes, in milliseconds. */
  waited: number
  /** Whether it lets the reader wait although nothing has come for long. */
  isSilent: boolean
}

/** What is known of a gateway. */
export interface Sender {
  /** Bytes per millisecond. */
  rate?: number | undefined
  /** Milliseconds from a request to the first block. */
  latency?: number | undefined
  /** How long readers have waited for bytes of its responses that have ended, in milliseconds. */
  waited?: number | undefined
}

/** The state of one file: what is waited for, and which responses bring it. */
export interface Shares<G> {
  /** Where the blocks that are waited for begin, ascending. */
  wanted: readonly number[]
  /** Where the range that is read ends. */
  end: number
  parts: ReadonlyArray<Part<G>>
  /** The gateways that may be asked now, including those of the parts. */
  senders: readonly G[]
}

/** A piece for a gateway, and the part that it is taken from. */
export interface Share<G> extends Piece {
  from?: Part<G> | undefined
}

/**
 * What a gateway that is free, or soon will be, should send next, so that all gateways end at about the same time:
 * blocks that no response brings, or the last ones of the response that would take longest. A piece begins with a block
 * that is waited for, so no two pieces have a leaf in common.
 *
 * @returns undefined: it would help nothing
 */
export function nextShare<G extends Sender> (sender: G, shares: Shares<G>): Share<G> | undefined {
  const rates = new Rates(shares)

  if (!isWorthwhile(sender, shares, rates)) {
    return undefined
  }

  return unclaimed(sender, shares, rates) ?? takeOver(sender, shares, rates)
}

/** Whether a response will soon have brought all that it is to bring: then its gateway needs the next piece. */
export function isEnding<G extends Sender> (part: Part<G>, { end }: Pick<Shares<G>, 'end'>): boolean {
  const { gateway, rate, reached } = part

  return gateway != null && rate != null && (Math.min(part.end, end) - reached) / rate <= latencyOf(gateway)
}

/** How fast each gateway is. The rate of one that was never measured is assumed to be half of the fastest one's. */
class Rates<G extends Sender> {
  readonly #shares: Shares<G>
  readonly fastest: number

  constructor (shares: Shares<G>) {
    this.#shares = shares
    this.fastest = Math.max(0, ...shares.senders.map(sender => this.known(sender) ?? 0))
  }

  known (sender: G): number | undefined {
    const now = this.#shares.parts.filter(({ gateway, rate }) => gateway === sender && rate != null)

    return now.length === 0 ? sender.rate : Math.max(...now.map(({ rate = 0 }) => rate))
  }

  of (sender: G): number {
    return this.known(sender) ?? this.fastest / 2
  }

  /** Of all gateways that send. */
  get total (): number {
    const sending = new Set(this.#shares.parts.filter(({ isSilent }) => !isSilent).map(({ gateway }) => gateway))

    return [...sending].reduce((sum, gateway) => sum + (gateway == null ? 0 : this.known(gateway) ?? 0), 0)
  }
}

/** Whether a gateway could bring a block before the others have brought all. */
function isWorthwhile<G extends Sender> (sender: G, { parts, wanted, end }: Shares<G>, rates: Rates<G>): boolean {
  const rate = rates.of(sender)
  const first = wanted.at(0)

  if (first == null || rate < rates.fastest * LEAST_SHARE) {
    return false
  }

  const others = parts.filter(({ gateway }) => gateway !== sender)

  if (parts.some(({ gateway }) => gateway === sender) || others.every(({ isSilent }) => isSilent)) {
    return true
  }

  // while nothing is measured for long, one gateway may be all that is needed: what it has begun to send comes twice
  const isKnown = rates.known(sender) != null
  // a fast gateway sends each piece in less
  const isSettled = ({ gateway, waited }: Part<G>): boolean => waited + (gateway?.waited ?? 0) >= SETTLED_AFTER
  const isMeasured = rates.total > 0 && (isKnown || others.some(isSettled))
  const left = isMeasured ? (end - first) / rates.total : 0
  const least = isKnown ? 0 : EARLIEST_SPLIT

  return left > Math.max(least, latencyOf(sender) + Math.min(MIN_PIECE, end - first) / rate)
}

/** How many bytes a gateway is asked for at a time. */
function pieceSize<G extends Sender> (sender: G, { senders, end }: Shares<G>, start: number, rates: Rates<G>): number {
  if (senders.length === 1) {
    return Number.POSITIVE_INFINITY
  }

  const rate = rates.of(sender)
  const share = rate / Math.max(rates.total, rate)
  const isKnown = rates.known(sender) != null

  return Math.max(
    MIN_PIECE,
    Math.min(rate * PIECE_TIME / (isKnown ? 1 : 2), MAX_WINDOW / 3 * share, (end - start) * share)
  )
}

/** Where a piece ends that begins at `start`, if nothing else is in its way. */
function endOf (start: number, size: number, end: number): number {
  // no piece for what is hardly worth a request
  return end - start - size < MIN_PIECE / 2 ? end : start + Math.ceil(size)
}

/** Blocks that no response is to bring: those that come first. */
function unclaimed<G extends Sender> (sender: G, shares: Shares<G>, rates: Rates<G>): Share<G> | undefined {
  const { wanted, parts, end } = shares
  const start = wanted.find(offset => !parts.some(part => covers(part, offset)))

  if (start == null || start > wanted[0] + MAX_WINDOW) {
    return undefined
  }

  const next = Math.min(end, ...parts.map(part => part.start).filter(offset => offset > start))

  return { start, end: Math.min(endOf(start, pieceSize(sender, shares, start, rates), end), next) }
}

/** The last blocks of the response that would take longest, so many that both end at the same time. */
function takeOver<G extends Sender> (sender: G, shares: Shares<G>, rates: Rates<G>): Share<G> | undefined {
  const { wanted, end } = shares
  const most = wanted[0] + MAX_WINDOW
  const timeFor = (bytes: number, { isSilent, rate, gateway }: Part<G>): number =>
    isSilent || gateway == null ? Number.POSITIVE_INFINITY : bytes / (rate ?? rates.of(gateway))
  const timeLeft = (part: Part<G>): number => timeFor(Math.min(part.end, end, most) - part.reached, part)
  const [slowest] = shares.parts
    .filter(({ gateway }) => gateway !== sender && gateway != null)
    .toSorted((a, b) => timeLeft(b) - timeLeft(a))

  if (slowest == null) {
    return undefined
  }

  const offsets = wanted.filter(offset => covers(slowest, offset) && offset <= most)
  const left = timeLeft(slowest)

  for (const start of offsets) {
    const stop = Math.min(slowest.end, endOf(start, pieceSize(sender, shares, start, rates), end))
    const time = latencyOf(sender) + (stop - start) / Math.max(rates.of(sender), Number.MIN_VALUE)
    // a block that is on its way would be sent twice: only if that saves much, or nothing arrives
    const isLate = start <= slowest.reached
      ? slowest.isSilent || (stop >= Math.min(slowest.end, end) && left > time * 3)
      : timeFor(start - slowest.reached, slowest) >= time && timeFor(stop - start, slowest) > latencyOf(sender)

    if (isLate) {
      return { start, end: stop, from: slowest }
    }
  }

  return undefined
}

export function covers ({ start, end }: Piece, offset: number): boolean {
  return offset >= start && offset < end
}

function latencyOf ({ latency = USUAL_LATENCY }: Sender): number {
  return latency * 1.25 + 20
}
