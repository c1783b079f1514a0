/**
 * @packageDocumentation
 *
 * Pins, unpins, and lists what a collection keeps.
 */
export { addPins, listPins, removePins } from './pins.ts'
export type { AddPinsOptions, ListPinsOptions, PinInfo, PinTarget, RemovePinsOptions } from './pins.ts'
