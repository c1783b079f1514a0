/** @module-tag long */
/** Runs in a browser and in Node, both compared with the same stored values. */
import { describe, expect, it } from 'vitest'
import { computeDeterministic } from '../support/deterministic.ts'
import { VALUES } from '../support/deterministic-values.ts'
import { addSiteTrees, SITE_TREES } from '../support/site-trees.ts'
import type { CodecName } from '@ipfsz/codecs'

describe('a deterministic codec', () => {
  it.each(Object.keys(VALUES) as CodecName[])('makes the same CIDs and frames on every platform: %s', async codec => {
    expect(await computeDeterministic(codec)).toEqual(VALUES[codec])
  })
})

describe('two releases of a site', () => {
  it('have the same CIDs on every platform', async () => {
    expect(await addSiteTrees()).toEqual(SITE_TREES)
  })
})
