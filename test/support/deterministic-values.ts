import type { Deterministic } from './deterministic.ts'
import type { CodecName } from '@ipfsz/codecs'

/** The values of deterministic.ts, the same on every platform. Written by make-deterministic-values.ts. */
export const VALUES: Readonly<Record<CodecName, Deterministic>> = {
  zstd: {
    small: 'bagc3j7ibciqplrlvqolvvqd32hw7mbjefbgmytpxpbr66f3kxzilw52wztehmpa',
    large: 'bagc3j7ibciqmddi4x4h37fwpdhjv3stdz4bncze74gwdt6yl5xqvhqmzui5phka',
    frames: [
      '8da67f45c8eaebe3558e49c65c78fe7c16f65cd144a4666b2c697b07c817537c',
      'b3410576f82a8af1b251e69cb4b640d671589a1bbd6f8ffb78c253cddb572366',
      'a9313b7223420ccbfe6ef87bf5ae50d9a11e4df9cd4459a662f49f06e5a29a2f'
    ]
  },
  gzip: {
    small: 'baga3j7ibciqiml4grtrdztqp3r2fzq3tcfdq2nv4xmt4can5vko4djqazflo7wq',
    large: 'baga3j7ibciqobwaukuj7e2hnabcpatuekuyycwaovydnur72h7m3znzhbsvaytq',
    frames: [
      '8f7a003722968570de48e63b133345e23627341034e1bca6c15790ae44103a21',
      '1057bea9ef7e622fa6fa566646e2c7ffdd0c6cec880fd1bee334733de09b32cb',
      'ff44161f66ac6782b8bd52502a233580c919459d576de9771282a5d82a514e69'
    ]
  },
  lz4: {
    small: 'bagblj7ibciqiue67est46v4updwg4d2g7neoncughhx7i25rqf52jef3u76dg5i',
    large: 'bagblj7ibciqhtummpdnm4iyxrmxhdgxrdr2mjun3vkryyg4xewr7i47wrxv2gcy',
    frames: [
      '7966b9d1dd71a9400c3bf72f198d0756d8edbbaf0135b15ec46991b50057a412',
      '7966b9d1dd71a9400c3bf72f198d0756d8edbbaf0135b15ec46991b50057a412',
      '7966b9d1dd71a9400c3bf72f198d0756d8edbbaf0135b15ec46991b50057a412'
    ]
  },
  brotli: {
    small: 'bagdlj7ibciqlfz4xpcc4emzqphk2x77nato6y6pvvgbnqtanege36rab5mj5nqy',
    large: 'bagdlj7ibciqdqqwc3ckdsg7idszxdz7wvlmjplb3ufbhaznm7xd67bkx43frjpi',
    frames: [
      '6aed005bc07a9e492c0eda476360b7a49a55c988bebb3344b4d383088cd35d0e',
      '86566dd941f0600459be95e66d0f92deb5c2ff4e3b2a60eb5c7e229bb5a7ddef',
      '4f4d64d6f428f8cd0b8a7ad8df56449a010981ac1780ee7a74c5c04c7125c1fc'
    ]
  },
  snappy: {
    small: 'bagclj7ibciqkam3tk6kvrwsqbabkaao3gcxwi6t7o4zimrt5mf5ih55ui2ra43i',
    large: 'bagclj7ibciqnaobhjufblzdekecahh45uqfruxg6646bb4ej5dov2fdospqkqxq',
    frames: [
      'a7b259d8bfaea49d0da215c580ac4f66dffa3ae4ef4505cb8f942f88ad9975b1',
      'a7b259d8bfaea49d0da215c580ac4f66dffa3ae4ef4505cb8f942f88ad9975b1',
      'a7b259d8bfaea49d0da215c580ac4f66dffa3ae4ef4505cb8f942f88ad9975b1'
    ]
  },
  lzo: {
    small: 'bagb3j7ibciqo5nmihjtwgsnq6rb4wk67yemw3fnlaalyu4dpvpnvrje73khrnfi',
    large: 'bagb3j7ibciqlhxtw5ls6hhmgfkomkk6d7iqxx3khi6dbcawb34y2kzcmvfod45a',
    frames: [
      '9c1fe6b4dc40909e0c4963853bd65543d6ef50663512c9b90fbab98901e26c8c',
      '9c1fe6b4dc40909e0c4963853bd65543d6ef50663512c9b90fbab98901e26c8c',
      '9c1fe6b4dc40909e0c4963853bd65543d6ef50663512c9b90fbab98901e26c8c'
    ]
  }
}
