/** The part of luaparse that this tool uses; the package ships no declarations. */
declare module 'luaparse' {
  interface Options {
    readonly luaVersion: '5.1';
    readonly locations: boolean;
    readonly ranges: boolean;
    readonly comments: boolean;
  }
  const luaparse: { parse(source: string, options: Options): unknown };
  export default luaparse;
}
