/** What the state machine needs of the deployed documents: their names, by our nouns. */
export interface DeployedDocuments {
  readonly names: Readonly<Record<string, string>>;
}
