import { serve } from "../../engine/crossguard";
import { shared } from "./rules";

serve(shared);
