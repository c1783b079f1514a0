import { MissingImplementationError } from '../errors.ts'
import type { CodecInit } from '../codec.ts'
import type { CodecDefinition } from './codec-definition.ts'
import type { ImplementationEntry } from './implementation-entry.ts'

/** The error for an implementation that only compresses or only decompresses. Names the alternatives. */
export function oneDirectionOnly (
  { name, implementations }: CodecDefinition,
  implementation: string,
  direction: 'compress' | 'decompress'
): MissingImplementationError {
  const others = implementations.filter(({ only }) => only !== direction).map(({ name }) => name)
  const advice = others.length === 0 ? '' : `: use ${[...new Set(others)].join(' or ')} instead`

  return new MissingImplementationError(name, implementation, `can only ${direction}${advice}`)
}

/** The implementations that were asked for. At least one of them runs here. */
export function requestedEntries (
  { name, implementations }: CodecDefinition,
  { implementation, deterministic = false }: CodecInit
): ImplementationEntry[] {
  const entries = implementations.filter(candidate =>
    (implementation == null || candidate.name === implementation) &&
    (!deterministic || candidate.everywhere === true))

  // the last one first: it runs nearly everywhere, so no other is checked
  if (!entries.toReversed().some(({ available }) => available())) {
    throw new MissingImplementationError(name, implementation ?? (deterministic ? 'deterministic' : 'default'),
      deterministic && implementation != null
        ? 'is not the deterministic one, or not available'
        : 'is not available on this platform')
  }

  return entries
}

/** The chosen implementations that take dictionaries here, or all that do if no chosen one does. */
export function dictionaryEntries (
  { implementations }: CodecDefinition,
  chosen: () => readonly ImplementationEntry[],
  other: 'compress' | 'decompress'
): ImplementationEntry[] {
  // first those that never do: for most codecs nothing else is checked
  const able = implementations.filter(entry => entry.only !== other && entry.dictionaries?.() === true)
  const preferred = able.length === 0 ? [] : chosen().filter(entry => able.includes(entry))

  return preferred.length > 0 ? preferred : able.filter(({ available }) => available())
}

/** The chosen implementations that can read streams, or all that can if no chosen one does. Every codec has one. */
export function streamEntries (
  { implementations }: CodecDefinition,
  chosen: readonly ImplementationEntry[]
): ImplementationEntry[] {
  const reading = implementations.filter(entry => entry.stream != null && entry.available())
  const preferred = reading.filter(entry => chosen.some(({ name }) => name === entry.name))

  return preferred.length > 0 ? preferred : reading
}
