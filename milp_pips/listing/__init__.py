"""The ways in which engines list all solutions: by cuts, by partition, by cubes, natively.

Those of a problem that falls into parts that share nothing are put together from the lists of the parts.
"""

from milp_pips.listing.engines import list_by_cuts as list_by_cuts
from milp_pips.listing.engines import list_natively as list_natively
from milp_pips.listing.engines import usual_method as usual_method
from milp_pips.listing.few import list_few as list_few
from milp_pips.listing.joining import list_joined as list_joined
from milp_pips.listing.models import Listing as Listing
from milp_pips.listing.partition import list_by_partition as list_by_partition
from milp_pips.listing.spaces import space_of as space_of
from milp_pips.listing.spaces import view_of as view_of
