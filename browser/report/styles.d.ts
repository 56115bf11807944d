/** esbuild imports a style sheet as text. */
declare module '*.css' {
  const text: string;
  export default text;
}

/** Importing this library is enough: it sorts a table when a heading is clicked. */
declare module 'sortable-tablesort/dist/sortable.min.js';
