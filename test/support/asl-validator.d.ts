/** The part of asl-validator that is used here; the package ships no types. */
declare module 'asl-validator' {
  export default function validate(definition: object): {
    readonly isValid: boolean;
    errorsText(separator?: string): string;
  };
}
