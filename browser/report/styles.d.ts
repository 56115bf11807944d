/** A style sheet as a text, which esbuild puts into the script. */
declare module '*.css' {
  const text: string;
  export default text;
}

/** Sorts a table when a heading is clicked; it starts by itself. */
declare module 'sortable-tablesort/dist/sortable.min.js';
