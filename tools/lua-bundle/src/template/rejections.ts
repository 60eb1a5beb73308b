/** Stands in for the generated file of this name, so that the template beside it compiles here. */
export type Rejection = string;
