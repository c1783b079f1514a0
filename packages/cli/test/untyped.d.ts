declare module 'chai-as-promised' {
  const plugin: Chai.ChaiPlugin

  export default plugin
}
