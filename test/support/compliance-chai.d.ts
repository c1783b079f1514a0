/** A copy of chai for the compliance suites: their plugins change `rejects`, which Vitest's own chai has too. */
declare module 'compliance-chai' {
  export * from 'chai'
}
