/** Runs in a browser and in Node, both compared with the same stored values. */
import { describe, expect, it } from 'vitest'
import { computeDeterministic } from '../support/deterministic.ts'
import { VALUES } from '../support/deterministic-values.ts'
import type { CodecName } from '@ipfsz/codecs'

describe('a deterministic codec', () => {
  it.each(Object.keys(VALUES) as CodecName[])('makes the same CIDs and frames on every platform: %s', async codec => {
    expect(await computeDeterministic(codec)).toEqual(VALUES[codec])
  })
})
