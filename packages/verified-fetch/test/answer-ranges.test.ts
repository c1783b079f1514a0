import { describe, expect, it } from 'vitest'
import { answerRanges } from '../src/answer-ranges.ts'

/** Ask for ranges of which the gateway answers each with a status. */
async function ask (statuses: number[]): Promise<Response> {
  const left = [...statuses]
  const ranges = statuses.map((_, i) => `${i}-${i}`).join(',')
  const request = new Request('http://gateway.invalid/', { headers: { range: `bytes=${ranges}` } })

  return answerRanges(request, async () => new Response('x', { status: left.shift() ?? 200 }))
}

describe('several ranges', () => {
  it('fail in mid-body if one of them does', async () => {
    const response = await ask([206, 500, 206])

    expect(response.status).toBe(206)
    // Chromium's text() has an error of its own
    await expect(Array.fromAsync(response.body ?? [])).rejects.toThrow('was answered with 500')
  })

  it('are answered with what the first of them is, if that is no part', async () => {
    expect((await ask([404, 206])).status).toBe(404)
    expect((await ask([416, 404, 206])).status).toBe(404)
  })
})
