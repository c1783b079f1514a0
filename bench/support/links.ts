export const MEGABIT = 1e6

export interface Link {
  /** Bits a second in each direction. */
  rate: number
  /** In milliseconds. */
  roundTrip: number
}

/** Round trips that every fetch needs: for the root, the next level, and the leaves. */
const FLOOR_ROUND_TRIPS = 3

/** The least time that a fetch of these bytes takes over a link, in milliseconds. */
export function floorOf (bytes: number, { rate, roundTrip }: Link): number {
  return bytes * 8 / rate * 1000 + FLOOR_ROUND_TRIPS * roundTrip
}

/** The links to measure: 10, 50 and 1000 Mbit/s with 2, 50 and 150 ms each. */
export const LINKS: readonly Link[] = [10, 50, 1000].flatMap(
  rate => [2, 50, 150].map(roundTrip => ({ rate: rate * MEGABIT, roundTrip }))
)
