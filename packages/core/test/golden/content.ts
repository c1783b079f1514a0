import { text } from '../fixtures.ts'

/** The files in the golden CARs. */
export const SMALL = text(5000, 11)
export const LARGE = text(250_000, 12)
