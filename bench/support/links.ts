export const MEGABIT = 1e6

export interface Link {
  /** Bits a second in each direction. */
  rate: number
  /** Milliseconds there and back. */
  roundTrip: number
}

/** The links that are measured over: 10, 50 and 1000 Mbit/s with 2, 50 and 150 ms each. */
export const LINKS: readonly Link[] = [10, 50, 1000].flatMap(rate => [2, 50, 150].map(roundTrip => ({ rate: rate * MEGABIT, roundTrip })))
