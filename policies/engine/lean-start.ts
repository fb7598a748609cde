import { putOffClosureModules } from "./late-modules";

// To be imported before the SDK: no policy serialises a closure, and what that takes is a third of the time to port.
putOffClosureModules();
